// The first stage of the humanoid's training: where drops come to lie, and the ways up from there that lead its teacher
// (world/get_ups.h). A planner finds several from the belly and from the back; the one of each that leads highest when
// its targets alone are followed from other states, with noise, is kept. Every search has random numbers of its own, so
// the ways are the same for any number of threads.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "alps/world/get_ups.h"

namespace alps {

struct GetUpRecordParams {
  GetUpParams planner;
  size_t drops = 400;    // whose states on the floor are kept
  size_t searches = 12;  // from the belly, and as many from the back
  size_t follows = 40;   // times that each way is followed
  double noise = 0.1;    // then, on the torques
  size_t rises = 1200;   // of a riser, whose last states are kept
  uint64_t seed = 0;
  int threads = 0;
};

// read from the file `path` where it is there already; otherwise searched for and left in it
GetUps record_get_ups(const std::filesystem::path& path, const GetUpRecordParams& params,
                      const std::function<void(size_t done, size_t total, const std::string& note)>& progress);

// the states in which a riser (a teacher's file) stands up, for the walker to go on from; kept in the file `path`
void record_risen(const std::filesystem::path& path, const std::filesystem::path& riser,
                  const GetUpRecordParams& params, GetUps& ways);

}  // namespace alps

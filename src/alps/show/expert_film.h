// A film of an expert on its way through a maze, from one random vertex to the next, with the noise that data making
// adds. The camera goes along, so that one sees how the body walks, falls and gets up.
#pragma once

#include <filesystem>
#include <string>

#include "alps/base/progress.h"
#include "alps/collect/expert_body.h"

namespace alps {

struct ExpertFilmOptions {
  double seconds = 20;
  double noise = 0.2;                                  // deviation of the Gaussian noise on the actions
  int width = 480;                                     // of a frame
  double distance = 5, azimuth = 60, elevation = -40;  // of the camera from the body
  uint64_t seed = 0;
};

void film_expert(const ExpertBody& body, const Expert& expert, const std::string& env,
                 const std::filesystem::path& path, const ExpertFilmOptions& options, const ProgressFn& progress = {});

}  // namespace alps

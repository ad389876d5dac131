// RUN/config.json: what a run was trained with. The method and preset, every setting with where its value came from,
// what was measured of the data, seed, device and versions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "alps/base/profile.h"
#include "alps/data/survey.h"

namespace alps {

inline constexpr int kRunFormat = 2;

struct RunConfig {
  std::string method = "alps", preset = "fast", policy = "planner";
  std::vector<std::string> planning;  // key=value of the planner that belong to the method
  std::string data_name, data_path, data_crc32;
  uint64_t data_bytes = 0;
  Survey survey;
  std::vector<double> trust;  // of what the forward model imagines, the share that comes true (run/trust.h)
  uint64_t seed = 0;
  std::string device = "cpu", precision = "fp32";
  int threads = 1;
  Profile profile;
  std::map<std::string, std::string> versions;

  template <class S>
  S settings() const {
    return profile.get<S>();
  }
  bool is(const char* key, const std::string& word) const;  // whether a setting has this value; false without it
};

bool has_run(const std::filesystem::path& run);
// Settings of another version that this one does not know are kept as they are. Error for runs of an older alps.
RunConfig load_run_config(const std::filesystem::path& run);
void save_run_config(const std::filesystem::path& run, const RunConfig& config);  // atomic

}  // namespace alps

// RUN/config.json: what a run was trained with (settings, seed, device), on which data set, by which versions. Sees no
// torch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "alps/learn/train_config.h"

namespace alps {

inline constexpr int kRunFormat = 1;

struct RunConfig {
  TrainConfig train;
  std::string data_name, data_path, data_crc32;
  uint64_t data_bytes = 0;
  uint64_t data_rows = 0, data_episodes = 0;
  uint64_t seed = 0;
  std::string device = "cpu", precision = "fp32";
  int threads = 1;
  std::map<std::string, std::string> versions;
};

bool has_run(const std::filesystem::path& run);
RunConfig load_run_config(const std::filesystem::path& run);
void save_run_config(const std::filesystem::path& run, const RunConfig& config);  // atomic

}  // namespace alps

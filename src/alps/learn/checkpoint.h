// A part in the middle of its training, as RUN/checkpoint.safetensors: weights, optimizer moments, duals and the number
// of steps done. Batches depend only on seed and step, so this is all that a bit-identical continuation needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "alps/learn/networks.h"

namespace alps {

struct Checkpoint {
  std::string part;
  int64_t step = 0;          // steps done
  double part_seconds = 0;   // spent on them
  double total_seconds = 0;  // of the whole run
  double sampling_seconds = 0;
};

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint,
                     const std::vector<NamedTensor>& tensors);

// which part and step a file holds; Error if it is damaged
Checkpoint peek_checkpoint(const std::filesystem::path& path);

// copies into `tensors` (names and shapes must match)
Checkpoint load_checkpoint(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors);

}  // namespace alps

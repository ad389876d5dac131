// How much memory work may take. One rule for every reader of data: what is read may fill two fifths of the memory that
// this process can have; what does not fit stays on disk. Networks, batches and a representation of all states live in
// the rest. The memory that a process can have is the machine's, or the limit of its control group (containers, Slurm
// jobs) where that is lower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace alps {

size_t usable_memory();      // bytes
size_t memory_for_data();    // two fifths of it: observations that are held in memory
size_t memory_for_states();  // a quarter of it: psi of all states, while regions are cut

// The lowest memory limit of the control group that `membership` (the format of /proc/self/cgroup, versions 1 and 2)
// names below `root`, or of a group around it; the largest number there is where nothing limits it.
size_t cgroup_memory_limit(const std::filesystem::path& membership = "/proc/self/cgroup",
                           const std::filesystem::path& root = "/sys/fs/cgroup");

std::string bytes_text(uintmax_t bytes);  // "3.7 GB", "12 MB", "840 bytes"

}  // namespace alps

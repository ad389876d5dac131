#include "alps/base/memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

// the number in a file; "max", as version 2 says "no limit", is none
size_t number_in(const fs::path& file) {
  std::ifstream in(file);
  unsigned long long value = 0;
  return in >> value ? static_cast<size_t>(value) : kNoLimit;
}

// of a group and all groups around it
size_t lowest_limit(const fs::path& root, const fs::path& group, const char* file) {
  size_t limit = number_in(root / file);
  fs::path at = root;
  for (const fs::path& name : group.relative_path()) {
    at /= name;
    limit = std::min(limit, number_in(at / file));
  }
  return limit;
}

}  // namespace

size_t cgroup_memory_limit(const fs::path& membership, const fs::path& root) {
  // "0::/group" of version 2, "4:memory:/group" or "4:memory,cpu:/group" of version 1
  size_t limit = kNoLimit;
  std::ifstream in(membership);
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") limit = std::min(limit, lowest_limit(root, group, "memory.max"));
    if (controllers.find(",memory,") != std::string::npos)
      limit = std::min(limit, lowest_limit(root / "memory", group, "memory.limit_in_bytes"));
  }
  return limit;
}

size_t usable_memory() {
  const auto physical = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
  return std::min(physical, cgroup_memory_limit());
}

size_t memory_for_data() { return usable_memory() / 5 * 2; }

size_t memory_for_states() { return usable_memory() / 4; }

std::string bytes_text(uintmax_t bytes) {
  char text[40];
  const auto n = static_cast<double>(bytes);
  if (bytes < 1000)
    std::snprintf(text, sizeof text, "%ju bytes", bytes);
  else if (n < 999.5e3)
    std::snprintf(text, sizeof text, "%.0f kB", n / 1e3);
  else if (n < 999.5e6)
    std::snprintf(text, sizeof text, "%.0f MB", n / 1e6);
  else
    std::snprintf(text, sizeof text, "%.1f GB", n / 1e9);
  return text;
}

}  // namespace alps

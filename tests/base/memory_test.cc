// The memory rule: what a control group allows, and what is made of it.
#include "alps/base/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "alps/base/file.h"
#include "temp_folder.h"

namespace alps {
namespace {

constexpr size_t kNoLimit = ~size_t{0};

TEST(Memory, TheLowestLimitOfAGroupAndThoseAroundItHolds) {
  const TempFolder folder;
  const auto root = folder / "cgroup";
  write_text(folder / "membership", "0::/user.slice/job.scope\n");
  EXPECT_EQ(cgroup_memory_limit(folder / "membership", root), kNoLimit);  // nothing is there
  write_text(root / "user.slice/job.scope/memory.max", "max\n");
  EXPECT_EQ(cgroup_memory_limit(folder / "membership", root), kNoLimit);
  write_text(root / "user.slice/memory.max", "3000000000\n");
  EXPECT_EQ(cgroup_memory_limit(folder / "membership", root), 3'000'000'000u);
  write_text(root / "user.slice/job.scope/memory.max", "2000000000\n");
  EXPECT_EQ(cgroup_memory_limit(folder / "membership", root), 2'000'000'000u);
  // of another group, which says nothing about this process
  write_text(root / "system.slice/memory.max", "1000\n");
  EXPECT_EQ(cgroup_memory_limit(folder / "membership", root), 2'000'000'000u);
  // inside a container the group is the root
  write_text(folder / "membership", "0::/\n");
  write_text(root / "memory.max", "1500000000\n");
  EXPECT_EQ(cgroup_memory_limit(folder / "membership", root), 1'500'000'000u);
}

TEST(Memory, VersionOneHasAHierarchyForMemory) {
  const TempFolder folder;
  const auto root = folder / "cgroup";
  write_text(folder / "membership", "5:cpu:/a\n4:memory:/slurm/job\n0::/b\n");
  write_text(root / "memory/slurm/job/memory.limit_in_bytes", "700000000\n");
  write_text(root / "memory/a/memory.limit_in_bytes", "5\n");
  EXPECT_EQ(cgroup_memory_limit(folder / "membership", root), 700'000'000u);
  EXPECT_EQ(cgroup_memory_limit(folder / "nothing", root), kNoLimit);
}

TEST(Memory, DataTakeTwoFifthsAndStatesAQuarter) {
  const size_t physical = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
  EXPECT_LE(usable_memory(), physical);
  EXPECT_LE(usable_memory(), cgroup_memory_limit());
  EXPECT_NEAR(static_cast<double>(memory_for_data()), 0.4 * static_cast<double>(usable_memory()), 10);
  EXPECT_EQ(memory_for_states(), usable_memory() / 4);
}

TEST(Memory, SizesForPeople) {
  EXPECT_EQ(bytes_text(840), "840 bytes");
  EXPECT_EQ(bytes_text(12'400), "12 kB");
  EXPECT_EQ(bytes_text(97'000'000), "97 MB");
  EXPECT_EQ(bytes_text(999'600'000), "1.0 GB");
  EXPECT_EQ(bytes_text(3'686'400'000), "3.7 GB");
}

}  // namespace
}  // namespace alps

#include "alps/base/own_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace {

TEST(OwnFolder, IsThatOfTheProgram) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(alps::own_folder(), program.parent_path());
  EXPECT_TRUE(std::filesystem::exists(alps::own_folder() / program.filename()));
}

}  // namespace

// The version that programs compile against is that of the CMake project.
#include "alps/base/version.h"

#include <gtest/gtest.h>

#include "alps/base/error.h"
#include "alps/base/file.h"

namespace alps {
namespace {

TEST(Version, IsThatOfTheProject) {
  const std::string version = str(ALPS_VERSION_MAJOR, ".", ALPS_VERSION_MINOR, ".", ALPS_VERSION_PATCH);
  EXPECT_EQ(version, ALPS_VERSION_STRING);
  const std::string cmake = read_text(std::string(ALPS_SOURCE_DIR) + "/CMakeLists.txt");
  EXPECT_NE(cmake.find("project(alps VERSION " + version + " "), std::string::npos);
}

}  // namespace
}  // namespace alps

// The version of alps that a program is compiled against, for `#if` and for messages. Equal to the version of the CMake
// project (tests/base/version_test.cc).
#pragma once

#define ALPS_VERSION_MAJOR 0
#define ALPS_VERSION_MINOR 1
#define ALPS_VERSION_PATCH 0
#define ALPS_VERSION_STRING "0.1.0"

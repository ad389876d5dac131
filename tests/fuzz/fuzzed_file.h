// The bytes of a fuzzer as a file, in memory where the machine has /dev/shm: one folder for each process, whose file is
// written anew for each input. An Error is what readers may throw; anything else ends the fuzzer and is a finding.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "alps/base/error.h"

namespace alps {

inline std::filesystem::path fuzz_folder() {
  static const auto& folder = *new std::filesystem::path([] {  // it is there until the handler at the end has run
    const std::filesystem::path memory = "/dev/shm";
    auto path = (std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path()) /
                ("alps-fuzz-" + std::to_string(getpid()));
    std::filesystem::create_directories(path);
    std::atexit([] {
      std::error_code none;
      std::filesystem::remove_all(fuzz_folder(), none);
    });
    return path;
  }());
  return folder;
}

inline std::filesystem::path fuzzed_file(const char* name, std::span<const uint8_t> bytes) {
  const auto path = fuzz_folder() / name;
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  return path;
}

template <class Work>
void may_refuse(Work&& work) {
  try {
    work();
  } catch (const Error&) {
  }
}

}  // namespace alps

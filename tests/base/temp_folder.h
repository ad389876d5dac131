// A folder for the files of one test, removed with everything in it when the test ends.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "alps/base/error.h"

namespace alps {

class TempFolder {
 public:
  TempFolder() {
    static std::atomic<int> counter = 0;
    path_ = std::filesystem::temp_directory_path() / str("alps_test.", getpid(), ".", counter++);
    std::filesystem::create_directories(path_);
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  // plain, without the fsync of AtomicFile: tests write thousands
  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::filesystem::remove(path_ / name);  // some file systems flush a file that is cut and written again
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

  size_t entries() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};

// the message of the Error that `work` throws; "" if it throws none
template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace alps

// A regular file open for reading at any offset, by any number of threads at once. It reads with pread and not through
// a memory map: a file that shrinks under our hands is then an Error, not a signal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace alps {

class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  uint64_t size() const { return size_; }                         // when it was opened
  void read_at(uint64_t offset, std::span<std::byte> out) const;  // fills all of `out`

 private:
  std::filesystem::path path_;
  int descriptor_;
  uint64_t size_ = 0;
};

}  // namespace alps

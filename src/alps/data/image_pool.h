// The images of a data set, each distinct one held once: many worlds show the same picture again and again (Maze2D has
// at most 10,000 in a walk of 500,000 steps), and then 5 GB become 100 MB, and a network passes over each picture once.
// Read in one stream; two rows share an image only if all their bytes are equal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "alps/base/array.h"

namespace alps {

class ImagePool {
 public:
  // the observations (uint8) of a data set; nothing if the distinct ones take more than `limit` bytes
  static std::optional<ImagePool> read(const std::filesystem::path& path, size_t limit);

  size_t rows() const { return index_.size(); }
  size_t distinct() const { return image_size_ == 0 ? 0 : bytes_.size() / image_size_; }
  size_t image_size() const { return image_size_; }          // bytes
  size_t index(size_t row) const { return index_[row]; }     // of a row's image among the distinct ones
  std::span<const uint8_t> bytes() const { return bytes_; }  // (distinct, height, width, channels)
  std::span<const uint8_t> distinct_image(size_t i) const { return bytes().subspan(i * image_size_, image_size_); }
  std::span<const uint8_t> image(size_t row) const { return distinct_image(index_[row]); }

 private:
  size_t image_size_ = 0;
  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> index_;  // (rows)
};

}  // namespace alps

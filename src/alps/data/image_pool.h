// Images in memory, each distinct one held once: many worlds show the same picture again and again (Maze2D has at most
// 10,000 in a walk of 500,000 steps), and then 5 GB become 100 MB, and a network passes over each picture once. Two
// rows share an image only if all their bytes are equal. Memory grows in pieces that are never moved, so that filling a
// pool takes no more than what it holds in the end.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace alps {

class ImagePool {
 public:
  explicit ImagePool(size_t image_size) : image_size_(image_size) {}

  // Appends a row. False, and nothing changes, if its image is new and the distinct ones would take more than `limit`
  // bytes with it.
  bool add(std::span<const uint8_t> image, size_t limit);
  void finish() { seen_ = {}; }  // no more rows will come

  size_t rows() const { return index_.size(); }
  size_t distinct() const { return count_; }
  size_t image_size() const { return image_size_; }  // bytes
  size_t byte_size() const { return count_ * image_size_; }
  size_t index(size_t row) const { return index_[row]; }  // of a row's image among the distinct ones
  std::span<const uint8_t> distinct_image(size_t i) const {
    return {pieces_[i / per_piece()].get() + i % per_piece() * image_size_, image_size_};
  }
  std::span<const uint8_t> image(size_t row) const { return distinct_image(index_[row]); }

 private:
  static constexpr size_t kPiece = size_t{16} << 20;  // bytes
  size_t per_piece() const { return image_size_ > kPiece ? 1 : kPiece / image_size_; }

  size_t image_size_, count_ = 0;
  std::vector<std::unique_ptr<uint8_t[]>> pieces_;
  std::vector<uint32_t> index_;                       // (rows)
  std::unordered_multimap<uint64_t, uint32_t> seen_;  // images by hash
};

}  // namespace alps

#include "alps/data/image_pool.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "alps/base/error.h"

namespace alps {

bool ImagePool::add(std::span<const uint8_t> image, size_t limit) {
  ALPS_CHECK(image.size() == image_size_);
  // equal hashes are settled by comparing bytes
  const uint64_t hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(image.data()), image.size()});
  const auto [first, last] = seen_.equal_range(hash);
  const auto same = std::find_if(first, last, [&](const auto& entry) {
    return std::memcmp(distinct_image(entry.second).data(), image.data(), image.size()) == 0;
  });
  if (same != last) {
    index_.push_back(same->second);
    return true;
  }
  if ((count_ + 1) * image_size_ > limit || count_ == std::numeric_limits<uint32_t>::max()) return false;
  // a piece's pages become real as images are written to them
  if (count_ % per_piece() == 0)
    pieces_.push_back(std::make_unique_for_overwrite<uint8_t[]>(per_piece() * image_size_));
  std::ranges::copy(image, pieces_.back().get() + count_ % per_piece() * image_size_);
  seen_.emplace(hash, static_cast<uint32_t>(count_));
  index_.push_back(static_cast<uint32_t>(count_++));
  return true;
}

}  // namespace alps

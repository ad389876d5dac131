#include "alps/data/image_pool.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "alps/base/npz.h"

namespace alps {

std::optional<ImagePool> ImagePool::read(const std::filesystem::path& path, size_t limit) {
  const auto stream = NpzReader(path).stream("observations");
  const ArrayInfo& info = stream->info();
  ALPS_CHECK(info.dtype == DType::kUInt8 && !info.shape.empty());
  ImagePool pool;
  const size_t rows = info.shape[0];
  pool.image_size_ = rows == 0 ? 0 : element_count(info.shape) / rows;
  pool.index_.reserve(rows);

  // images by hash; equal hashes are settled by comparing bytes
  std::unordered_multimap<size_t, uint32_t> seen;
  std::vector<uint8_t> image(pool.image_size_);
  for (size_t row = 0; row < rows; ++row) {
    if (stream->read(std::as_writable_bytes(std::span(image))) != image.size())
      throw Error(path.string(), ": 'observations' ends in row ", row, " of ", rows);
    const size_t hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(image.data()), image.size()});
    const auto [first, last] = seen.equal_range(hash);
    const auto same = std::find_if(first, last, [&](const auto& entry) {
      return std::memcmp(pool.distinct_image(entry.second).data(), image.data(), image.size()) == 0;
    });
    if (same != last) {
      pool.index_.push_back(same->second);
      continue;
    }
    if (pool.bytes_.size() + image.size() > limit) return std::nullopt;
    const auto next = static_cast<uint32_t>(pool.distinct());
    pool.bytes_.insert(pool.bytes_.end(), image.begin(), image.end());
    pool.index_.push_back(next);
    seen.emplace(hash, next);
  }
  // the end of the stream is where its checksum is verified
  std::byte beyond[1];
  ALPS_CHECK(stream->read(beyond) == 0);
  return pool;
}

}  // namespace alps

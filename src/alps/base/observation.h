// What an agent sees at one moment, as the world gives it: numbers (float32), or the bytes of an image
// (height, width, channels). Observation is a view that costs nothing to pass on; ObservationCopy keeps one. From the
// environment to the network an observation is never converted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "alps/base/error.h"

namespace alps {

class Observation {
 public:
  Observation() = default;
  Observation(std::span<const float> floats) : floats_(floats) {}  // NOLINT: a span is an observation
  Observation(std::span<const uint8_t> bytes) : bytes_(bytes), image_(true) {}
  Observation(std::span<float> floats) : floats_(floats) {}
  Observation(std::span<uint8_t> bytes) : bytes_(bytes), image_(true) {}
  Observation(const std::vector<float>& floats) : floats_(floats) {}
  Observation(const std::vector<uint8_t>& bytes) : bytes_(bytes), image_(true) {}

  bool image() const { return image_; }
  size_t size() const { return image_ ? bytes_.size() : floats_.size(); }
  bool empty() const { return size() == 0; }
  std::span<const float> floats() const {
    ALPS_CHECK(!image_);
    return floats_;
  }
  std::span<const uint8_t> bytes() const {
    ALPS_CHECK(image_);
    return bytes_;
  }
  friend bool operator==(const Observation& a, const Observation& b) {
    if (a.image_ != b.image_) return false;
    return a.image_ ? std::ranges::equal(a.bytes_, b.bytes_) : std::ranges::equal(a.floats_, b.floats_);
  }

 private:
  std::span<const float> floats_;
  std::span<const uint8_t> bytes_;
  bool image_ = false;
};

class ObservationCopy {
 public:
  ObservationCopy() = default;
  ObservationCopy(Observation seen) : image_(seen.image()) {  // NOLINT: keeps what is seen
    if (image_)
      bytes_.assign(seen.bytes().begin(), seen.bytes().end());
    else
      floats_.assign(seen.floats().begin(), seen.floats().end());
  }
  operator Observation() const { return view(); }  // NOLINT
  Observation view() const { return image_ ? Observation(bytes_) : Observation(floats_); }
  bool empty() const { return floats_.empty() && bytes_.empty(); }
  void clear() { *this = {}; }

 private:
  std::vector<float> floats_;
  std::vector<uint8_t> bytes_;
  bool image_ = false;
};

}  // namespace alps

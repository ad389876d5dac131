// Images that follow from numbers: what a world shows is a function of the observation that the same world gives
// without images (`numbers`). Data makers walk in numbers and render while they write; whoever keeps the numbers only
// can render the same bytes later. An object of its own for every thread.
#pragma once

#include <cstdint>
#include <span>

namespace alps {

class ImageView {
 public:
  // `pixels`: of the size of an observation; throws Error where the numbers are not a state of this world
  virtual void render(std::span<const float> numbers, std::span<uint8_t> pixels) = 0;

 protected:
  ~ImageView() = default;
};

}  // namespace alps

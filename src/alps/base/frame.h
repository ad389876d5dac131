// A picture in memory, as renderers make it and videos take it: rows from the top, three bytes a pixel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace alps {

struct Frame {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // (height, width, 3)

  Frame() = default;
  Frame(int w, int h, uint8_t level = 0) : width(w), height(h), rgb(static_cast<size_t>(w) * h * 3, level) {}
  uint8_t* row(int y) { return rgb.data() + static_cast<size_t>(y) * width * 3; }
  const uint8_t* row(int y) const { return rgb.data() + static_cast<size_t>(y) * width * 3; }

  // puts another frame there; it must lie inside
  void paste(const Frame& other, int left, int top) {
    for (int y = 0; y < other.height; ++y)
      std::copy_n(other.row(y), static_cast<size_t>(other.width) * 3, row(top + y) + static_cast<size_t>(left) * 3);
  }
};

}  // namespace alps

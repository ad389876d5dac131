#include "alps/world/shadows.h"

#include <algorithm>

namespace alps {
namespace {

constexpr Vector kSteps = {0, 1, 2, 3, 4, 5, 6, 7};

// the part of the map that one solid covers
ALPS_CLONES void raise(const Solid& solid, float first_x, float first_y, float step, float ceiling, size_t width,
                       size_t from, size_t to, size_t top, size_t bottom, float* heights) {
  const bool pokes_out = solid.center[2] + std::abs(solid.frame[8]) * solid.half + solid.radius > ceiling;
  Solid upside_down = solid;
  upside_down.frame[8] = -upside_down.frame[8];
  for (size_t row = top; row < bottom; ++row) {
    const Vector y = all(first_y + static_cast<float>(row) * step - solid.center[1]);
    for (size_t column = from; column < to; column += 8) {
      const Vector x = (kSteps + static_cast<float>(column)) * step + (first_x - solid.center[0]);
      const Meeting m = meet(solid, x, y, Vector{}, Vector{});
      Vector height = solid.center[2] - m.drop;
      // of what reaches above the ceiling, the underside still casts
      Integers casts = m.hit;
      if (pokes_out) {
        const Vector underside = solid.center[2] + meet(upside_down, x, y, Vector{}, Vector{}).drop;
        height = height > ceiling ? underside : height;
        casts &= height <= ceiling;
      }
      // as far down as MuJoCo moves what casts shadows away from the light, so that nothing shades itself
      const Vector steep = most(size(m.normal_x), size(m.normal_y)) / most(m.normal_z, all(1e-3f));
      height -= 1.5f * step * steep + 1e-5f;
      Vector& there = vector_at(heights + row * width + column);
      there = casts & (height > there) ? height : there;
    }
  }
}

}  // namespace

Shadows::Shadows(float reach, float ceiling) : reach_(reach), ceiling_(ceiling), to_place_(kPlaces / (2 * reach)) {}

void Shadows::cast(std::span<const Solid> solids) {
  // what the body covers, in places of the map
  low_x_ = low_y_ = 1e9f;
  high_x_ = high_y_ = -1e9f;
  for (const Solid& s : solids) {
    const float x = std::abs(s.axis()[0]) * s.half + s.radius, y = std::abs(s.axis()[1]) * s.half + s.radius;
    low_x_ = std::min(low_x_, s.center[0] - x), high_x_ = std::max(high_x_, s.center[0] + x);
    low_y_ = std::min(low_y_, s.center[1] - y), high_y_ = std::max(high_y_, s.center[1] + y);
  }
  const auto place = [&](float x) { return std::floor(x * to_place_ + kPlaces / 2); };
  first_x_ = place(low_x_) - 1;
  first_y_ = place(low_y_) - 1;
  width_ = (static_cast<size_t>(place(high_x_) - first_x_) + 10) / 8 * 8;
  rows_ = static_cast<size_t>(place(high_y_) - first_y_) + 3;
  heights_.assign(width_ * rows_, kNothing);

  // MuJoCo draws the map one place from its border, and looks places up without that border
  const float step = 2 * reach_ / (kPlaces - 2);
  const auto at = [&](float first) { return (first - 0.5f) * step - reach_; };
  for (const Solid& s : solids) {
    const float x = std::abs(s.axis()[0]) * s.half + s.radius, y = std::abs(s.axis()[1]) * s.half + s.radius;
    const auto from = static_cast<size_t>(place(s.center[0] - x) - first_x_ - 1) / 8 * 8;
    const auto to = std::min(width_, static_cast<size_t>(place(s.center[0] + x) - first_x_) + 2);
    const auto top = static_cast<size_t>(place(s.center[1] - y) - first_y_ - 1);
    const auto bottom = std::min(rows_, static_cast<size_t>(place(s.center[1] + y) - first_y_) + 2);
    raise(s, at(first_x_), at(first_y_), step, ceiling_, width_, from, to, top, bottom, heights_.data());
  }
}

}  // namespace alps

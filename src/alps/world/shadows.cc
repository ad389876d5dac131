#include "alps/world/shadows.h"

#include <algorithm>

namespace alps {
namespace {

constexpr Vector kSteps = {0, 1, 2, 3, 4, 5, 6, 7};

// the part of the map that one solid covers
ALPS_CLONES void raise(const Solid& solid, float first_x, float first_y, float step, float ceiling, size_t width,
                       size_t from, size_t to, size_t top, size_t bottom, float* heights) {
  for (size_t row = top; row < bottom; ++row) {
    const Vector y = all(first_y + static_cast<float>(row) * step - solid.center[1]);
    for (size_t column = from; column < to; column += 8) {
      const Vector x = (kSteps + static_cast<float>(column)) * step + (first_x - solid.center[0]);
      const Meeting m = meet(solid, x, y, Vector{}, Vector{});
      // as far down as MuJoCo moves what casts shadows away from the light, so that nothing shades itself
      const Vector steep = most(most(m.normal_x, -m.normal_x), most(m.normal_y, -m.normal_y)) / most(m.normal_z, all(1e-3f));
      const Vector height = least(solid.center[2] - m.drop, all(ceiling)) - 1.5f * step * steep - 1e-5f;
      Vector& there = vector_at(heights + row * width + column);
      there = m.hit && height > there ? height : there;
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
    if (s.center[2] - std::abs(s.axis()[2]) * s.half - s.radius > ceiling_) continue;
    const float x = std::abs(s.axis()[0]) * s.half + s.radius, y = std::abs(s.axis()[1]) * s.half + s.radius;
    const auto from = static_cast<size_t>(place(s.center[0] - x) - first_x_ - 1) / 8 * 8;
    const auto to = std::min(width_, static_cast<size_t>(place(s.center[0] + x) - first_x_) + 2);
    const auto top = static_cast<size_t>(place(s.center[1] - y) - first_y_ - 1);
    const auto bottom = std::min(rows_, static_cast<size_t>(place(s.center[1] + y) - first_y_) + 2);
    raise(s, at(first_x_), at(first_y_), step, ceiling_, width_, from, to, top, bottom, heights_.data());
  }
}

}  // namespace alps

#include "alps/world/solid_caster.h"

#include <algorithm>

namespace alps {
namespace {

// rows and columns of pixels that a solid may cover
struct Window {
  int left, right, top, bottom;
};

Window window_of(const Solid& solid, Eye eye) {
  float left = 1e9f, right = -1e9f, low = 1e9f, high = -1e9f;
  for (const float end : {-solid.half, solid.half}) {
    const float x = solid.center[0] + end * solid.axis()[0] - eye.x,
                y = solid.center[1] + end * solid.axis()[1] - eye.y;
    const float z = solid.center[2] + end * solid.axis()[2] - eye.z, scale = 2.2360680f;  // sqrt(5)
    const float ahead = (y - 2 * z) / scale;
    if (ahead < 2 * solid.radius) return {0, kFrameSide, 0, kFrameSide};
    const float u = x / ahead, v = (2 * y + z) / scale / ahead, margin = 1.25f * solid.radius / ahead;
    left = std::min(left, u - margin), right = std::max(right, u + margin);
    low = std::min(low, v - margin), high = std::max(high, v + margin);
  }
  const float half = 0.41421356f;
  const auto pixel = [&](float at) {
    return static_cast<int>(std::clamp((at / half + 1) * (kFrameSide / 2), -1.0f, kFrameSide + 1.0f));
  };
  return {std::max(0, pixel(left)), std::min(kFrameSide, pixel(right) + 1), std::max(0, kFrameSide - 1 - pixel(high)),
          std::min(kFrameSide, kFrameSide - pixel(low))};
}

ALPS_CLONES void cast(const Solid& solid, int number, Window window, Eye eye, const Rays& rays, Samples& samples,
                      int (*owners)[kFramePixels]) {
  const float level = eye.z - solid.center[2];  // drop of the rays to the solid's centre
  for (int row = window.top; row < window.bottom; ++row) {
    for (int column = window.left / 8 * 8; column < window.right; column += 8) {
      const int p = row * kFrameSide + column;
      for (int s = 0; s < kFrameSamples; ++s) {
        const Vector along_x = vector_at(rays.sample_x[s] + p), along_y = all(rays.sample_y[s][row]);
        const Vector x = level * along_x + (eye.x - solid.center[0]), y = level * along_y + (eye.y - solid.center[1]);
        const Meeting m = meet(solid, x, y, along_x, along_y);
        Vector& nearest = vector_at(samples.drop[s] + p);
        const Vector drop = m.drop + level;
        const Integers seen = m.hit & (drop < nearest);
        nearest = seen ? drop : nearest;
        Integers& owner = integers(owners[s] + p);
        owner = seen ? Integers{} + number : owner;
      }
    }
  }
}

}  // namespace

std::span<const SolidSample> SolidCaster::cast(std::span<const Solid> solids, Eye eye, const Rays& rays,
                                               Samples& samples) {
  constexpr int kNobody = -1;
  Window all = {kFrameSide, 0, kFrameSide, 0};
  std::vector<Window> windows;
  for (const Solid& solid : solids) {
    const Window w = window_of(solid, eye);
    windows.push_back(w);
    all = {std::min(all.left, w.left), std::max(all.right, w.right), std::min(all.top, w.top),
           std::max(all.bottom, w.bottom)};
  }
  for (auto& owners : owners_)
    if (all.top < all.bottom) std::fill(owners + all.top * kFrameSide, owners + all.bottom * kFrameSide, kNobody);
  for (size_t k = 0; k < solids.size(); ++k)
    alps::cast(solids[k], static_cast<int>(k), windows[k], eye, rays, samples, owners_);

  seen_.clear();
  for (int row = all.top; row < all.bottom; ++row)
    for (int p = row * kFrameSide + all.left; p < row * kFrameSide + all.right; ++p)
      for (int s = 0; s < kFrameSamples; ++s)
        if (owners_[s][p] != kNobody) seen_.push_back({owners_[s][p], s, p});
  return seen_;
}

}  // namespace alps

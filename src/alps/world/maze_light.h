// The light of OGBench's visual mazes as MuJoCo's classic renderer mixes it (OpenGL's fixed functions): a headlight
// that shines along the camera's view and casts no shadows, and a light from straight above that does. A surface of
// colour c with normal n shows c (0.1 + 0.4 n.l) + 0.25 (n.h)^64 for the headlight and c n_z + 0.05 (n.g)^64 for the
// other, where h and g lie halfway between the way to the light and the way to the eye. Each sum is cut at 1 and
// rounded to a byte.
#pragma once

#include <algorithm>

#include "alps/world/samples.h"

namespace alps {

struct Glints {
  explicit Glints(const Rays& rays);
  // h and g through the middle of each pixel
  float head_x[kFramePixels], head_y[kFramePixels], head_z[kFramePixels];
  float above_x[kFramePixels], above_y[kFramePixels], above_z[kFramePixels];
};

constexpr float kAmbient = 0.1f, kHeadDiffuse = 0.4f, kHeadShine = 0.25f, kAboveShine = 0.05f;
constexpr float kHeadY = -0.4472135955f, kHeadZ = 0.8944271910f;  // the way to the headlight

// a colour under both lights, each rounded to a byte, as they are added
inline int lit_byte(float own, float head, float above) {
  const auto byte = [](float x) { return static_cast<int>(std::min(x, 1.0f) * 255.0f + 0.5f); };
  return std::min(255, byte(own * head) + byte(own * above));
}

}  // namespace alps

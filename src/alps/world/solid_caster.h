// Which samples of a frame see a body: rays meet its spheres and capsules exactly, and the nearest counts.
#pragma once

#include <span>
#include <vector>

#include "alps/world/facets.h"
#include "alps/world/samples.h"
#include "alps/world/solid.h"

namespace alps {

class SolidCaster {
 public:
  // where a solid is nearer than what `samples` hold, its drop takes the place of theirs; colours are left to others
  std::span<const SolidSample> cast(std::span<const Solid> solids, Eye eye, const Rays& rays, Samples& samples);

 private:
  alignas(64) int owners_[kFrameSamples][kFramePixels];
  std::vector<SolidSample> seen_;
};

}  // namespace alps

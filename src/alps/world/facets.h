// The colours of spheres and capsules as MuJoCo's renderer finds them. It draws both as facets, 28 around and 8 from
// the equator to a pole, lights the corners of each facet, and blends the corners' light over the facet's plane, at the
// middle of a pixel even where the facet covers only another part of it. A limb of the ant is two pixels wide, so this
// is most of what it looks like; which facet a ray meets is found from the round solid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "alps/world/samples.h"
#include "alps/world/shadows.h"
#include "alps/world/solid.h"

namespace alps {

// a sample in which a solid is nearest
struct SolidSample {
  int solid, sample, pixel;
};

void color_facets(std::span<const Solid> solids, std::span<const SolidSample> seen, Eye eye, const Rays& rays,
                  const Shadows& shadows, Samples& samples);

}  // namespace alps

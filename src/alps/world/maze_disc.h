// A disc of a teleport in a frame of a visual maze: its top and what is seen of its low rim, over the floor.
#pragma once

#include <array>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/world/samples.h"
#include "alps/world/shadows.h"
#include "alps/world/sim.h"

namespace alps {

class MazeDisc {
 public:
  MazeDisc(Point2 center, const mjModel& model, const char* texture);
  // over samples of the floor; `head`, `above`: how bright the two lights make what lies flat, by pixel
  void draw(Eye eye, const Rays& rays, const Shadows& shadows, const float* head, const float* above,
            Samples& samples) const;

 private:
  Point2 center_;
  std::vector<std::array<float, 3>> colors_;  // from the middle to the edge
};

}  // namespace alps

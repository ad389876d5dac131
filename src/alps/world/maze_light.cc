#include "alps/world/maze_light.h"

#include <cmath>

namespace alps {

Glints::Glints(const Rays& rays) {
  const auto halfway = [](double x, double y, double z, const double light[3], float& hx, float& hy, float& hz) {
    x += light[0], y += light[1], z += light[2];
    const double length = std::sqrt(x * x + y * y + z * z);
    hx = static_cast<float>(x / length), hy = static_cast<float>(y / length), hz = static_cast<float>(z / length);
  };
  const double head[3] = {0, -1 / std::sqrt(5.0), 2 / std::sqrt(5.0)}, above[3] = {0, 0, 1};
  for (int p = 0; p < kFramePixels; ++p) {
    const double x = -rays.middle_x[p], y = -rays.middle_y[p / kFrameSide], length = std::sqrt(x * x + y * y + 1);
    halfway(x / length, y / length, 1 / length, head, head_x[p], head_y[p], head_z[p]);
    halfway(x / length, y / length, 1 / length, above, above_x[p], above_y[p], above_z[p]);
  }
}

}  // namespace alps

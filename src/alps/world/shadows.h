// What lies in the shadow of a body under a light from straight above: a map of heights, made of its solids. Places of
// the map are those of MuJoCo's shadow map (4096 x 4096 over the whole maze), and so are the errors that come with
// them; only the part under the body is made.
#pragma once

#include <span>
#include <vector>

#include "alps/world/solid.h"

namespace alps {

class Shadows {
 public:
  // `reach`: half the side of the square around the origin that the map covers; what lies above `ceiling` casts none
  Shadows(float reach, float ceiling);
  void cast(std::span<const Solid> solids);

  // the height up to which a place is in shadow; below the floor where it is not
  ALPS_INLINE Vector height(Vector x, Vector y) const {
    Vector heights;
    const Vector column = x * to_place_ + kPlaces / 2 - first_x_, row = y * to_place_ + kPlaces / 2 - first_y_;
    for (int k = 0; k < 8; ++k) {
      // float comparisons first: a place may be far away
      const bool inside =
          column[k] >= 0 && row[k] >= 0 && column[k] < static_cast<float>(width_) && row[k] < static_cast<float>(rows_);
      heights[k] = inside ? heights_[static_cast<size_t>(row[k]) * width_ + static_cast<size_t>(column[k])] : kNothing;
    }
    return heights;
  }
  // shadows lie between these y
  float low_y() const { return low_y_; }
  float high_y() const { return high_y_; }

  static constexpr float kNothing = -1;

 private:
  static constexpr float kPlaces = 4096;
  float reach_, ceiling_, to_place_;
  float low_x_ = 0, low_y_ = 0, high_x_ = 0, high_y_ = 0;
  float first_x_ = 0, first_y_ = 0;  // place of the first column and row
  size_t width_ = 0, rows_ = 0;
  std::vector<float> heights_;
};

}  // namespace alps

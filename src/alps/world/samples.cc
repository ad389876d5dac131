#include "alps/world/samples.h"

#include <cmath>

namespace alps {
namespace {

// Where the four samples lie in a pixel, from its lower left corner: Mesa's places, on a 16th of a pixel.
constexpr double kPlaces[kFrameSamples][2] = {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}};

// half of the 45 degrees that the camera sees
const double kHalf = std::sqrt(2.0) - 1;

// A ray through (right, up) on the plane at distance 1: the camera `back` looks along (0, 1, -2), its up is (0, 2, 1).
double along_y(double up) { return (1 + 2 * up) / (2 - up); }
double along_x(double right, double up) { return right * std::sqrt(5.0) / (2 - up); }
double right_of(int column, double place) { return kHalf * (2 * (column + place) / kFrameSide - 1); }
double up_of(int row, double place) { return kHalf * (1 - 2 * (row + 1 - place) / kFrameSide); }

}  // namespace

Rays::Rays() {
  for (int row = 0; row < kFrameSide; ++row) {
    for (int s = 0; s < kFrameSamples; ++s) {
      const double up = up_of(row, kPlaces[s][1]);
      sample_y[s][row] = static_cast<float>(along_y(up));
      for (int column = 0; column < kFrameSide; ++column)
        sample_x[s][row * kFrameSide + column] = static_cast<float>(along_x(right_of(column, kPlaces[s][0]), up));
    }
    const double up = up_of(row, 0.5);
    middle_y[row] = static_cast<float>(along_y(up));
    for (int column = 0; column < kFrameSide; ++column)
      middle_x[row * kFrameSide + column] = static_cast<float>(along_x(right_of(column, 0.5), up));
  }
}

}  // namespace alps

// A sphere or capsule of a body in a frame, and where rays meet it. A capsule reaches from center - half axis to center
// + half axis, where the axis is z of its own frame; a sphere is one with half 0.
#pragma once

#include <array>

#include "alps/world/vector_math.h"

namespace alps {

struct Solid {
  std::array<float, 3> center{};
  std::array<float, 9> frame{};  // rows of the rotation from its own frame to the world's
  float half = 0, radius = 0;
  std::array<float, 3> color{};
  std::array<float, 3> axis() const { return {frame[2], frame[5], frame[8]}; }
};

struct Meeting {
  Integers hit;                         // whether rays meet it
  Vector drop;                          // from the height of its centre
  Vector normal_x, normal_y, normal_z;  // there
};

// rays through (x, y, 0), seen from the solid's centre, along (along_x, along_y, -1)
ALPS_INLINE Meeting meet(const Solid& solid, Vector x, Vector y, Vector along_x, Vector along_y) {
  const auto [ax, ay, az] = solid.axis();
  const float square = solid.radius * solid.radius;
  const Vector start_along = x * along_x + y * along_y, start_axis = x * ax + y * ay;
  const Vector along_axis = along_x * ax + along_y * ay - az;
  const Vector along_along = along_x * along_x + along_y * along_y + 1, start_start = x * x + y * y;

  // the endless cylinder
  const Vector a = most(along_along - along_axis * along_axis, all(1e-6f));
  const Vector b = start_along - start_axis * along_axis;
  const Vector inside = b * b - a * (start_start - start_axis * start_axis - square);
  const Vector side = (-b - root(most(inside, Vector{}))) / a;

  // beyond the ends, the spheres there
  const Vector height = start_axis + side * along_axis;
  const Vector end = most(least(height, all(solid.half)), all(-solid.half));
  const Vector c = start_along - end * along_axis;
  const Vector inside_end = c * c - along_along * (start_start - 2.0f * end * start_axis + end * end - square);
  const Vector cap = (-c - root(most(inside_end, Vector{}))) / along_along;
  const Integers on_side = height == end;

  Meeting m;
  m.hit = (inside > 0) & (on_side | (inside_end > 0));
  m.drop = on_side ? side : cap;
  const float scale = 1 / solid.radius;
  m.normal_x = (x + m.drop * along_x - end * ax) * scale;
  m.normal_y = (y + m.drop * along_y - end * ay) * scale;
  m.normal_z = (-m.drop - end * az) * scale;
  return m;
}

}  // namespace alps

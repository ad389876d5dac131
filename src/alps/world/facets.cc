#include "alps/world/facets.h"

#include <algorithm>

#include "alps/world/maze_light.h"

namespace alps {
namespace {

constexpr int kAround = 28, kUp = 8;  // facets around, and from the equator to a pole

// corners lie at these angles
struct Corners {
  Corners() {
    for (int k = 0; k <= kAround; ++k) {
      const double angle = 2 * M_PI * k / kAround;
      around_x[k] = static_cast<float>(std::cos(angle));
      around_y[k] = static_cast<float>(std::sin(angle));
    }
    for (int k = 0; k <= kUp; ++k) {
      const double angle = M_PI / 2 * k / kUp;
      out[k] = static_cast<float>(std::cos(angle));
      up[k] = static_cast<float>(std::sin(angle));
    }
    out[kUp] = 0;
  }
  float around_x[kAround + 1], around_y[kAround + 1], out[kUp + 1], up[kUp + 1];
};

struct Vectors {
  Vector x, y, z;
};
ALPS_INLINE Vectors operator-(Vectors a, Vectors b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
ALPS_INLINE Vectors operator+(Vectors a, Vectors b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
ALPS_INLINE Vectors operator*(Vector s, Vectors a) { return {s * a.x, s * a.y, s * a.z}; }
ALPS_INLINE Vector dot(Vectors a, Vectors b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ALPS_INLINE Vectors cross(Vectors a, Vectors b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Eight samples of solids, in the frames of their solids.
struct Eight {
  Vectors eye, light, above;  // the eye; the ways to the headlight and up
  Vectors ray, middle;        // along the sample's ray and that through the pixel's middle, for a drop of 1
  Vectors point;              // where the sample meets the solid
  Vector half, radius;
  float color[3][8];
};

// light in a corner: of the headlight and of the light from above, what the own colour takes part in and what not
struct Light {
  Vector diffuse, shine, diffuse_above, shine_above;
};
ALPS_INLINE Vector glint(Vectors normal, Vectors light, Vectors eye) {
  const Vectors halfway = light + eye;
  return power64(most(dot(normal, halfway) / root(most(dot(halfway, halfway), all(1e-12f))), Vector{}));
}
ALPS_INLINE Light light_at(const Eight& e, Vectors corner, Vectors normal) {
  const Vectors to_eye = e.eye - corner;
  const Vectors eye = (1 / root(dot(to_eye, to_eye))) * to_eye;
  const Vector facing = most(dot(normal, e.light), Vector{}), facing_up = most(dot(normal, e.above), Vector{});
  return {.diffuse = kAmbient + kHeadDiffuse * facing,
          .shine = facing > 0 ? kHeadShine * glint(normal, e.light, eye) : Vector{},
          .diffuse_above = facing_up,
          .shine_above = facing_up > 0 ? kAboveShine * glint(normal, e.above, eye) : Vector{}};
}

// a corner of a facet: which of those around, at which ring
struct Ring {
  Vector out, up, z;  // of the normal; height of the corners
};
ALPS_INLINE Ring choose(Integers which, const Ring& yes, const Ring& no) {
  return {.out = which ? yes.out : no.out, .up = which ? yes.up : no.up, .z = which ? yes.z : no.z};
}
ALPS_INLINE void corner_at(const Corners& corners, Integers around, const Ring& ring, Vector radius, Vectors& at,
                           Vectors& normal) {
  const Vector x = gather(corners.around_x, around), y = gather(corners.around_y, around);
  normal = {x * ring.out, y * ring.out, ring.up};
  at = {radius * normal.x, radius * normal.y, ring.z};
}

ALPS_INLINE Eight load(std::span<const Solid> solids, const SolidSample* seen, Eye eye, const Rays& rays,
                       const Samples& samples) {
  Eight e;
  for (int k = 0; k < 8; ++k) {
    const Solid& solid = solids[seen[k].solid];
    const auto own = [&](float x, float y, float z, Vectors& to) {
      to.x[k] = solid.frame[0] * x + solid.frame[3] * y + solid.frame[6] * z;
      to.y[k] = solid.frame[1] * x + solid.frame[4] * y + solid.frame[7] * z;
      to.z[k] = solid.frame[2] * x + solid.frame[5] * y + solid.frame[8] * z;
    };
    const int s = seen[k].sample, p = seen[k].pixel, row = p / kFrameSide;
    own(eye.x - solid.center[0], eye.y - solid.center[1], eye.z - solid.center[2], e.eye);
    own(0, kHeadY, kHeadZ, e.light);
    own(0, 0, 1, e.above);
    own(rays.middle_x[p], rays.middle_y[row], -1, e.middle);
    own(rays.sample_x[s][p], rays.sample_y[s][row], -1, e.ray);
    const float drop = samples.drop[s][p];
    e.point.x[k] = e.eye.x[k] + drop * e.ray.x[k];
    e.point.y[k] = e.eye.y[k] + drop * e.ray.y[k];
    e.point.z[k] = e.eye.z[k] + drop * e.ray.z[k];
    e.half[k] = solid.half;
    e.radius[k] = solid.radius;
    for (int c = 0; c < 3; ++c) e.color[c][k] = solid.color[c];
  }
  return e;
}

ALPS_INLINE Integers to_bytes(Vector level) { return whole(most(least(level, all(1)), Vector{}) * 255.0f + 0.5f); }

// where the samples are on their solids: between which columns and rings of corners, and how far between them
struct Facet {
  Integers column, on_lower_cap;
  Ring low, high;
  Vector part_around, part;
};
ALPS_INLINE Facet facet_at(const Corners& corners, const Eight& e) {
  // how far around, and how far up a cap or along the side
  const Vector around = turn(e.point.y, e.point.x) * static_cast<float>(kAround);
  const Integers column = whole(least(around, all(kAround - 0.001f)));
  const Vector part_around = around - real(column);
  const Vector beyond = size(e.point.z) - e.half;
  const Integers on_cap = beyond > 0, on_top = e.point.z > 0;
  const Vector out = root(e.point.x * e.point.x + e.point.y * e.point.y);
  const Vector up = turn(most(beyond, Vector{}), out) * (4.0f * kUp);
  const Integers step = whole(least(up, all(kUp - 0.001f)));
  const Vector part_up = up - real(step);
  const Vector sign = on_top ? all(1) : all(-1);
  const auto ring = [&](Integers number) -> Ring {
    const Vector o = gather(corners.out, number), u = sign * gather(corners.up, number);
    return {.out = o, .up = u, .z = sign * e.half + e.radius * u};
  };
  Ring low = ring(step), high = ring(step + 1);
  // the side has 16 facets along
  const Vector along = (e.point.z / most(e.half, all(1e-6f)) + 1) * static_cast<float>(kUp);
  const Vector stack = real(whole(most(least(along, all(2 * kUp - 0.001f)), Vector{})));
  const Vector step_along = e.half * (1.0f / kUp), part_along = along - stack;
  low = choose(on_cap, low, {.out = all(1), .up = Vector{}, .z = stack * step_along - e.half});
  high = choose(on_cap, high, {.out = all(1), .up = Vector{}, .z = (stack + 1) * step_along - e.half});
  return {.column = column,
          .on_lower_cap = on_cap & ~on_top,
          .low = low,
          .high = high,
          .part_around = part_around,
          .part = on_cap ? part_up : part_along};
}

// A facet is two triangles: of the one that is met, the corner between its sides across and along, and their ends.
struct Triangle {
  Vectors at, at_across, at_along, normal, normal_across, normal_along;
};
ALPS_INLINE Triangle triangle_at(const Corners& corners, const Eight& e) {
  const auto [column, falling, low, high, part_around, part] = facet_at(corners, e);
  // a facet is cut along the diagonal that MuJoCo's order of corners gives
  const Integers second = falling ? (part_around > part) : (part_around + part > 1);
  const Integers far_column = second, far_ring = falling ? ~second : second;
  const Ring own_ring = choose(far_ring, high, low), other_ring = choose(far_ring, low, high);
  const Integers own_column = column - far_column, other_column = column + 1 + far_column;
  Triangle t;
  corner_at(corners, own_column, own_ring, e.radius, t.at, t.normal);
  corner_at(corners, other_column, own_ring, e.radius, t.at_across, t.normal_across);
  corner_at(corners, own_column, other_ring, e.radius, t.at_along, t.normal_along);
  return t;
}

ALPS_CLONES void color_eight(const Corners& corners, std::span<const Solid> solids, const SolidSample* seen,
                             size_t count, Eye eye, const Rays& rays, const Shadows& shadows, Samples& samples) {
  const Eight e = load(solids, seen, eye, rays, samples);
  const Triangle t = triangle_at(corners, e);

  // where the ray through the pixel's middle meets the triangle's plane
  const Vectors across = t.at_across - t.at, along_side = t.at_along - t.at, plane = cross(across, along_side);
  const Vector facing = dot(e.middle, plane);
  const Vector drop = dot(t.at - e.eye, plane) / (size(facing) > 1e-12f ? facing : all(1e-12f));
  const Vectors place = e.eye + drop * e.middle - t.at;
  const Vector scale = 1 / most(dot(plane, plane), all(1e-20f));
  const Vector share_across = dot(cross(place, along_side), plane) * scale;
  const Vector share_along = dot(cross(across, place), plane) * scale;

  // light there, blended from the corners
  const Light a = light_at(e, t.at, t.normal), b = light_at(e, t.at_across, t.normal_across),
              c = light_at(e, t.at_along, t.normal_along);
  const auto blend = [&](Vector x, Vector y, Vector z) { return x + share_across * (y - x) + share_along * (z - x); };
  const Vector diffuse = blend(a.diffuse, b.diffuse, c.diffuse), shine = blend(a.shine, b.shine, c.shine);
  const Vector diffuse_above = blend(a.diffuse_above, b.diffuse_above, c.diffuse_above);
  const Vector shine_above = blend(a.shine_above, b.shine_above, c.shine_above);

  // and shadow
  Vector x, y;
  for (int k = 0; k < 8; ++k) {
    x[k] = eye.x + drop[k] * rays.middle_x[seen[k].pixel];
    y[k] = eye.y + drop[k] * rays.middle_y[seen[k].pixel / kFrameSide];
  }
  const Integers lit = eye.z - drop >= shadows.height(x, y);

  Integers color = {};
  for (int channel = 0; channel < 3; ++channel) {
    const Vector own = vector_at(e.color[channel]);
    const Integers first = to_bytes(diffuse * own + shine), second_light = to_bytes(diffuse_above * own + shine_above);
    Integers sum = first + (lit ? second_light : Integers{});
    sum = sum > 255 ? Integers{} + 255 : sum;
    color |= sum << (10 * channel);
  }
  for (size_t k = 0; k < count; ++k) samples.color[seen[k].sample][seen[k].pixel] = color[k];
}

}  // namespace

void color_facets(std::span<const Solid> solids, std::span<const SolidSample> seen, Eye eye, const Rays& rays,
                  const Shadows& shadows, Samples& samples) {
  static const Corners corners;
  size_t first = 0;
  for (; first + 8 <= seen.size(); first += 8)
    color_eight(corners, solids, seen.data() + first, 8, eye, rays, shadows, samples);
  if (first == seen.size()) return;
  // the last ones, filled up with the first of them
  SolidSample rest[8];
  for (size_t k = 0; k < 8; ++k) rest[k] = seen[first + k < seen.size() ? first + k : first];
  color_eight(corners, solids, rest, seen.size() - first, eye, rays, shadows, samples);
}

}  // namespace alps

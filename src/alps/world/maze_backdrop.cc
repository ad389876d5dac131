#include "alps/world/maze_backdrop.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr float kWallHeight = 2;
constexpr float kCell = static_cast<float>(Maze::kUnit);
constexpr float kCorner = -6;  // x and y where the first cell begins
constexpr int kTexels = 300;   // side of the floor's texture
constexpr float kWallGrey = 0.6f;

int grey(int level) { return packed(level, level, level); }

// one channel of the floor's texture by the share of its side: MuJoCo blends neighbouring texels
float blended(const std::vector<float>& texels, float share) {
  const float at = share * kTexels - 0.5f, whole = std::floor(at);
  const int i = static_cast<int>(whole);
  const auto texel = [&](int k) { return texels[std::clamp(k, 0, kTexels - 1)]; };
  return texel(i) + (at - whole) * (texel(i + 1) - texel(i));
}

constexpr Vector kZero = {};

}  // namespace

MazeBackdrop::MazeBackdrop(const Maze& maze, const mjModel& model, const Glints& glints)
    : width_(static_cast<float>(maze.width())), height_(static_cast<float>(maze.height())) {
  ALPS_CHECK(maze.width() <= 30);
  for (int i = 0; i < maze.height(); ++i) {
    uint32_t bits = 0;
    for (int j = 0; j < maze.width(); ++j) bits |= static_cast<uint32_t>(!maze.free({i, j})) << j;
    walls_.push_back(bits);
  }

  // the package's colours: whole steps of 192 / 300
  for (int k = 0; k < kTexels; ++k) ramp_.push_back(static_cast<float>(k * 192 / kTexels));

  for (const Cell c : maze.teleport_in) discs_.emplace_back(maze.center(c), model, "teleport_in");
  for (const Cell c : maze.teleport_out) discs_.emplace_back(maze.center(c), model, "teleport_out");

  for (int p = 0; p < kFramePixels; ++p) {
    const float shine = kHeadShine * power64(all(glints.head_z[p]))[0],
                shine_above = kAboveShine * power64(all(glints.above_z[p]))[0];
    head_[p] = std::min(1.0f, kAmbient + kHeadDiffuse * kHeadZ + shine);
    above_[p] = std::min(1.0f, 1 + shine_above);
    const float first = kWallGrey * (kAmbient + kHeadDiffuse * kHeadZ) + shine, second = kWallGrey + shine_above;
    top_[p] = grey(lit_byte(1, first, second));
  }
}

namespace {

ALPS_CLONES void paint_floor(Eye eye, const Rays& rays, const Shadows& shadows, const float* head, const float* above,
                             float width, const float* red, const float* green, int* floor) {
  constexpr float kBlue = 128;
  for (int row = 0; row < kFrameSide; ++row) {
    const float y = eye.y + eye.z * rays.middle_y[row];
    const bool maybe_shaded = y > shadows.low_y() - 0.1f && y < shadows.high_y() + 0.1f;
    for (int column = 0; column < kFrameSide; column += 8) {
      const int p = row * kFrameSide + column;
      const Vector x = eye.x + eye.z * vector_at(rays.middle_x + p);

      // green grows with x
      const Vector at = most(least((x - kCorner) * (kTexels / (4 * width)) - 0.5f, kZero + (kTexels - 1.001f)), kZero);
      const Integers texel = whole(at);
      const Vector low = gather(green, texel), high = gather(green, texel + 1);
      const Vector g = low + (at - real(texel)) * (high - low);

      Integers lit = Integers{} - 1;
      if (maybe_shaded) lit = shadows.height(x, kZero + y) <= 0;
      const Vector by_head = vector_at(head + p), by_above = lit ? vector_at(above + p) : kZero;
      Integers color = {};
      const Vector channels[3] = {kZero + red[row], g, kZero + kBlue};
      for (int c = 0; c < 3; ++c) {
        Integers sum = whole(channels[c] * by_head + 0.5f) + whole(channels[c] * by_above + 0.5f);
        sum = sum > 255 ? Integers{} + 255 : sum;
        color |= sum << (10 * c);
      }
      integers(floor + p) = color;
    }
  }
}

struct Walls {
  const uint32_t* bits;
  int rows;
  uint32_t row(int i) const { return i < 0 || i >= rows ? 0 : bits[i]; }
};

// which walls eight rays meet (masks), and after which drop they cross the line between two columns
struct Met {
  Integers top, side, front;
  Vector side_drop;
};

// `bits`: walls of the rows of cells at the height of the walls and at the floor, `j`: the columns there
ALPS_INLINE Met meet_walls(Integers bits_top, Integers bits_floor, Integers j_top, Integers j_floor, float eye_x,
                           Vector along_x, bool crosses, float front_drop) {
  const auto wall = [](Integers bits, Integers j) { return -((bits >> j) & 1); };
  const Integers j_line = j_top > j_floor ? j_top : j_floor, crosses_line = j_top != j_floor;
  const Vector line = real(j_line) * kCell + kCorner;
  Met met;
  met.side_drop = crosses_line ? (line - eye_x) / along_x : Vector{} + 1e9f;

  // what a ray enters first, then what it enters second
  const Integers side_first = crosses_line & (met.side_drop < front_drop);
  const Integers by_side = wall(bits_top, j_floor), by_front = wall(bits_floor, j_top);
  const Integers corner = wall(bits_floor, j_floor);
  met.top = wall(bits_top, j_top);
  met.side = crosses_line & ((side_first & by_side) | (~side_first & ~by_front & corner));
  met.front = crosses ? (side_first & ~by_side & corner) | (~side_first & by_front) : Integers{};
  return met;
}

ALPS_CLONES void paint_walls(Eye eye, const Rays& rays, const Walls& walls, const int* top, const int* floor, int front,
                             int side, Samples& samples) {
  const float above = eye.z - kWallHeight;
  for (int s = 0; s < kFrameSamples; ++s) {
    for (int row = 0; row < kFrameSide; ++row) {
      // rows of cells above which the ray sinks below the walls, and where it would reach the floor
      const float along_y = rays.sample_y[s][row];
      const int i_top = static_cast<int>(std::floor((eye.y + above * along_y - kCorner) / kCell));
      const int i_floor = static_cast<int>(std::floor((eye.y + eye.z * along_y - kCorner) / kCell));
      const Integers bits_top = Integers{} + static_cast<int>(walls.row(i_top));
      const Integers bits_floor = Integers{} + static_cast<int>(walls.row(i_floor));
      const bool crosses = i_floor != i_top;
      const float front_drop = crosses ? (static_cast<float>(i_floor) * kCell + kCorner - eye.y) / along_y : 1e9f;

      for (int column = 0; column < kFrameSide; column += 8) {
        const int p = row * kFrameSide + column;
        const Vector along_x = vector_at(rays.sample_x[s] + p);
        const auto cell = [&](Vector x) {
          const Vector at = (x - kCorner) * (1 / kCell);
          return whole(most(least(at, Vector{} + 31), kZero));
        };
        const Vector x_top = eye.x + above * along_x, x_floor = eye.x + eye.z * along_x;
        const Integers j_top = cell(x_top), j_floor = cell(x_floor);
        const Met met = meet_walls(bits_top, bits_floor, j_top, j_floor, eye.x, along_x, crosses, front_drop);
        Integers color = integers(floor + p);
        Vector drop = kZero + eye.z;
        color = met.front ? Integers{} + front : color;
        drop = met.front ? kZero + front_drop : drop;
        color = met.side ? Integers{} + side : color;
        drop = met.side ? met.side_drop : drop;
        color = met.top ? integers(top + p) : color;
        drop = met.top ? kZero + above : drop;
        integers(samples.color[s] + p) = color;
        vector_at(samples.drop[s] + p) = drop;
      }
    }
  }
}

}  // namespace

void MazeBackdrop::draw(Eye eye, const Rays& rays, const Shadows& shadows, Samples& samples) {
  // red falls with y
  float red[kFrameSide];
  for (int row = 0; row < kFrameSide; ++row) {
    const float y = eye.y + eye.z * rays.middle_y[row];
    red[row] = blended(ramp_, 1 - (y - kCorner) / (4 * height_));
  }
  paint_floor(eye, rays, shadows, head_, above_, width_, red, ramp_.data(), floor_);
  const int front = lit_byte(kWallGrey, kAmbient - kHeadDiffuse * kHeadY, 0);
  const int side = lit_byte(kWallGrey, kAmbient, 0);
  paint_walls(eye, rays, {walls_.data(), static_cast<int>(walls_.size())}, top_, floor_, grey(front), grey(side),
              samples);
  for (const MazeDisc& disc : discs_) disc.draw(eye, rays, shadows, head_, above_, samples);
}

}  // namespace alps

#include "alps/world/maze_backdrop.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr float kWallHeight = 2, kDiscHeight = 0.1f;
constexpr float kCorner = -6;  // x and y where the first cell begins
constexpr int kTexels = 300;   // side of the floor's texture
constexpr float kWallGrey = 0.6f;

// a colour under both lights, each rounded to a byte, as they are added
int lit_byte(float own, float head, float above) {
  const auto byte = [](float x) { return static_cast<int>(std::min(x, 1.0f) * 255.0f + 0.5f); };
  return std::min(255, byte(own * head) + byte(own * above));
}
int grey(int level) { return packed(level, level, level); }

// the picture of a disc, from its middle to its edge
std::vector<std::array<float, 3>> disc_colors(const mjModel& model, const char* name) {
  const int texture = mj_name2id(&model, mjOBJ_TEXTURE, name);
  if (texture < 0) throw Error("the body's XML has no texture '", name, "'; is ogbench 1.2.2 installed?");
  const int width = model.tex_width[texture], height = model.tex_height[texture];
  const mjtByte* row = model.tex_data + model.tex_adr[texture] + 3 * width * (height / 2);
  std::vector<std::array<float, 3>> colors;
  for (int x = width / 2; x < width; ++x)
    colors.push_back({row[3 * x] / 255.0f, row[3 * x + 1] / 255.0f, row[3 * x + 2] / 255.0f});
  return colors;
}

// blended from the two rings of texels around that distance from the middle
std::array<float, 3> disc_color(const std::vector<std::array<float, 3>>& rings, float distance) {
  const auto last = static_cast<float>(rings.size() - 1);
  const float at = std::clamp(distance * static_cast<float>(rings.size()) - 0.5f, 0.0f, last);
  const auto k = static_cast<size_t>(at);
  const auto &low = rings[k], &high = rings[std::min(k + 1, rings.size() - 1)];
  const float part = at - static_cast<float>(k);
  return {low[0] + part * (high[0] - low[0]), low[1] + part * (high[1] - low[1]), low[2] + part * (high[2] - low[2])};
}

// MuJoCo draws discs with 28 corners; x and y are seen from the middle
bool in_disc(float x, float y) {
  constexpr int kCorners = 28;
  static const auto middles = [] {
    std::array<std::array<float, 2>, kCorners> list;
    for (int k = 0; k < kCorners; ++k) {
      const double angle = 2 * M_PI * (k + 0.5) / kCorners;
      list[k] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
    }
    return list;
  }();
  static const float inner = static_cast<float>(std::cos(M_PI / kCorners));
  const float square = x * x + y * y;
  if (square <= inner * inner) return true;
  if (square > 1) return false;
  return std::ranges::all_of(middles, [&](const auto& m) { return x * m[0] + y * m[1] <= inner; });
}

// one channel of the floor's texture by place along a side that is `side` long: MuJoCo blends neighbouring texels
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
  for (int k = 0; k < kTexels; ++k) red_.push_back(static_cast<float>(k * 192 / kTexels));
  green_ = red_;

  if (!maze.teleport_in.empty()) {
    entry_colors_ = disc_colors(model, "teleport_in");
    exit_colors_ = disc_colors(model, "teleport_out");
  }
  for (const Cell c : maze.teleport_in) discs_.push_back({maze.center(c), &entry_colors_});
  for (const Cell c : maze.teleport_out) discs_.push_back({maze.center(c), &exit_colors_});

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
      const Vector part = at - __builtin_convertvector(texel, Vector);
      Vector low, high;
      for (int k = 0; k < 8; ++k) {
        low[k] = green[texel[k]];
        high[k] = green[texel[k] + 1];
      }
      const Vector g = low + part * (high - low);

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
  float width;
  uint32_t row(int i) const { return i < 0 || i >= rows ? 0 : bits[i]; }
};

ALPS_CLONES void paint_walls(Eye eye, const Rays& rays, const Walls& walls, const int* top, const int* floor, int front,
                             int side, Samples& samples) {
  constexpr float kCell = static_cast<float>(Maze::kUnit);
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
        const auto wall = [](Integers bits, Integers j) { return -((bits >> j) & 1); };

        // where the ray crosses the line between two columns
        const Integers j_line = j_top > j_floor ? j_top : j_floor;
        const Vector line = __builtin_convertvector(j_line, Vector) * kCell + kCorner;
        const Integers crosses_line = j_top != j_floor;
        const Vector side_drop = crosses_line ? (line - eye.x) / along_x : Vector{} + 1e9f;

        // what it enters first, then what it enters second
        const Integers side_first = crosses_line & (side_drop < front_drop);
        const Integers corner = wall(bits_floor, j_floor);
        const Integers by_side = wall(bits_top, j_floor), by_front = wall(bits_floor, j_top);
        const Integers hits_top = wall(bits_top, j_top);
        const Integers hits_side = crosses_line & ((side_first & by_side) | (~side_first & ~by_front & corner));
        const Integers front_second = side_first & ~by_side & corner;
        const Integers front_first = ~side_first & by_front;
        const Integers hits_front = crosses ? front_second | front_first : Integers{};

        Integers color = integers(floor + p);
        Vector drop = kZero + eye.z;
        color = hits_front ? Integers{} + front : color;
        drop = hits_front ? kZero + front_drop : drop;
        color = hits_side ? Integers{} + side : color;
        drop = hits_side ? side_drop : drop;
        color = hits_top ? integers(top + p) : color;
        drop = hits_top ? kZero + above : drop;
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
    red[row] = blended(red_, 1 - (y - kCorner) / (4 * height_));
  }
  paint_floor(eye, rays, shadows, head_, above_, width_, red, green_.data(), floor_);
  const int front = lit_byte(kWallGrey, kAmbient - kHeadDiffuse * kHeadY, 0);
  const int side = lit_byte(kWallGrey, kAmbient, 0);
  paint_walls(eye, rays, {walls_.data(), static_cast<int>(walls_.size()), width_}, top_, floor_, grey(front),
              grey(side), samples);
  for (const Disc& disc : discs_) draw_disc(disc, eye, rays, shadows, samples);
}

void MazeBackdrop::draw_disc(const Disc& disc, Eye eye, const Rays& rays, const Shadows& shadows,
                             Samples& samples) const {
  // far discs are not seen
  const auto cx = static_cast<float>(disc.center.x) - eye.x, cy = static_cast<float>(disc.center.y) - eye.y;
  if (std::abs(cx) > 5 || cy < -2 || cy > 10) return;
  const float level = eye.z - kDiscHeight;
  for (int p = 0; p < kFramePixels; ++p) {
    const int row = p / kFrameSide;
    const float mx = level * rays.middle_x[p] - cx, my = level * rays.middle_y[row] - cy;
    if (mx * mx + my * my > 1.5f * 1.5f) continue;
    const bool lit = shadows.height(kZero + (mx + cx + eye.x), kZero + (my + cy + eye.y))[0] <= kDiscHeight;
    const std::array<float, 3> own = disc_color(*disc.colors, std::sqrt(mx * mx + my * my));
    std::array<int, 3> top;
    for (int c = 0; c < 3; ++c) top[c] = lit_byte(own[c], head_[p], lit ? above_[p] : 0);
    for (int s = 0; s < kFrameSamples; ++s) {
      if (samples.drop[s][p] != eye.z) continue;  // only the floor lies under a disc
      const float along_x = rays.sample_x[s][p], along_y = rays.sample_y[s][row];
      const float x = level * along_x - cx, y = level * along_y - cy;
      if (in_disc(x, y)) {
        samples.color[s][p] = packed(top[0], top[1], top[2]);
      } else if (in_disc(eye.z * along_x - cx, eye.z * along_y - cy)) {
        const float light = kAmbient + kHeadDiffuse * std::max(0.0f, y * kHeadY);
        int side[3];
        for (int c = 0; c < 3; ++c) side[c] = lit_byte(disc.colors->back()[c], light, 0);
        samples.color[s][p] = packed(side[0], side[1], side[2]);
      } else {
        continue;
      }
      samples.drop[s][p] = level;
    }
  }
}

}  // namespace alps

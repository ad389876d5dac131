#include "alps/world/maze_disc.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/world/maze_light.h"

namespace alps {
namespace {

constexpr float kDiscHeight = 0.1f;  // its radius is 1

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

}  // namespace

MazeDisc::MazeDisc(Point2 center, const mjModel& model, const char* texture)
    : center_(center), colors_(disc_colors(model, texture)) {}

void MazeDisc::draw(Eye eye, const Rays& rays, const Shadows& shadows, const float* head, const float* above,
                    Samples& samples) const {
  // far discs are not seen
  const auto cx = static_cast<float>(center_.x) - eye.x, cy = static_cast<float>(center_.y) - eye.y;
  if (std::abs(cx) > 5 || cy < -2 || cy > 10) return;
  const float level = eye.z - kDiscHeight;
  for (int p = 0; p < kFramePixels; ++p) {
    const int row = p / kFrameSide;
    const float mx = level * rays.middle_x[p] - cx, my = level * rays.middle_y[row] - cy;
    if (mx * mx + my * my > 1.5f * 1.5f) continue;
    const bool lit = shadows.height(Vector{} + (mx + cx + eye.x), Vector{} + (my + cy + eye.y))[0] <= kDiscHeight;
    const std::array<float, 3> own = disc_color(colors_, std::sqrt(mx * mx + my * my));
    std::array<int, 3> top;
    for (int c = 0; c < 3; ++c) top[c] = lit_byte(own[c], head[p], lit ? above[p] : 0);
    for (int s = 0; s < kFrameSamples; ++s) {
      if (samples.drop[s][p] != eye.z) continue;  // only the floor lies under a disc
      const float along_x = rays.sample_x[s][p], along_y = rays.sample_y[s][row];
      const float x = level * along_x - cx, y = level * along_y - cy;
      if (in_disc(x, y)) {
        samples.color[s][p] = packed(top[0], top[1], top[2]);
      } else if (in_disc(eye.z * along_x - cx, eye.z * along_y - cy)) {
        const float light = kAmbient + kHeadDiffuse * std::max(0.0f, y * kHeadY);
        int side[3];
        for (int c = 0; c < 3; ++c) side[c] = lit_byte(colors_.back()[c], light, 0);
        samples.color[s][p] = packed(side[0], side[1], side[2]);
      } else {
        continue;
      }
      samples.drop[s][p] = level;
    }
  }
}

}  // namespace alps

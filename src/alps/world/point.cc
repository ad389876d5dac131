// The point: a ball on two slides. An action of length 1 moves it by 0.2; MuJoCo then pushes it out of walls.
#include <algorithm>

#include "alps/world/body.h"

namespace alps {
namespace {

constexpr double kRadius = 0.7;  // of the ball in point.xml
constexpr double kStride = 0.2;

void reset(const mjModel& model, mjData& data, Rng& rng) {
  for (int k = 0; k < model.nq; ++k) data.qpos[k] = model.qpos0[k] + rng.uniform(-0.1, 0.1);
  for (int k = 0; k < model.nv; ++k) data.qvel[k] = 0.1 * rng.normal();
  mj_forward(&model, &data);
}

void command(const mjModel&, mjData& data, std::span<const double> action) {
  for (int k = 0; k < 2; ++k) {
    data.qpos[k] += kStride * action[k];
    data.qvel[k] = 0.0;
  }
}

void advance(const mjModel& model, mjData& data) {
  for (int frame = 0; frame < kFrameSkip; ++frame) mj_step(&model, &data);
}

// At rest and out of reach of every wall nothing acts on the slides: the physics would return exactly the position it
// was given (tests/align proves it step by step), so only the clock moves.
void coast(const mjModel& model, mjData& data) {
  for (int frame = 0; frame < kFrameSkip; ++frame) data.time += model.opt.timestep;
  std::fill_n(data.qacc_warmstart, model.nv, 0.0);
}

void observe(const mjModel& model, const mjData& data, std::span<double> out) {
  std::copy_n(data.qpos, model.nq, out.data());
}

}  // namespace

const Body& point_body() {
  static const Body body{.name = "point",
                         .summary = "ball that moves by its action",
                         .observation_size = 2,
                         .goal_tolerance = 1.0,
                         .settle_steps = 5,
                         .near_walls_only = false,
                         .reach = kRadius + 1e-3,  // walls and ball have no contact margin
                         .reset = reset,
                         .command = command,
                         .advance = advance,
                         .coast = coast,
                         .observe = observe};
  return body;
}

}  // namespace alps

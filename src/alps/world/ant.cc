// The ant: a free torso and eight driven joints, 10 decisions a second. It sees its positions and velocities.
#include <algorithm>

#include "alps/world/body.h"

namespace alps {
namespace {

constexpr double kResetNoise = 0.1;

void reset(const mjModel& model, mjData& data, Rng& rng) {
  for (int k = 0; k < model.nq; ++k) data.qpos[k] = model.qpos0[k] + rng.uniform(-kResetNoise, kResetNoise);
  for (int k = 0; k < model.nv; ++k) data.qvel[k] = kResetNoise * rng.normal();
  mj_forward(&model, &data);
}

void command(const mjModel&, mjData& data, std::span<const double> action) {
  std::copy(action.begin(), action.end(), data.ctrl);
}

void advance(const mjModel& model, mjData& data) {
  for (int frame = 0; frame < kFrameSkip; ++frame) mj_step(&model, &data);
}

void observe(const mjModel& model, const mjData& data, std::span<double> out) {
  std::copy_n(data.qpos, model.nq, out.data());
  std::copy_n(data.qvel, model.nv, out.data() + model.nq);
}

}  // namespace

const Body& ant_body() {
  static const Body body{.name = "ant",
                         .summary = "ant with 8 joints",
                         .observation_size = 29,
                         .goal_tolerance = 0.5,
                         .settle_steps = 5,
                         .near_walls_only = true,
                         .reach = 0,
                         .reset = reset,
                         .command = command,
                         .advance = advance,
                         .coast = nullptr,
                         .observe = observe};
  return body;
}

}  // namespace alps

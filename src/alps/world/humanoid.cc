// The humanoid: 21 driven joints, 40 decisions a second, observed as in the DeepMind Control Suite plus its place.
#include <algorithm>
#include <array>
#include <cmath>

#include "alps/world/body.h"

namespace alps {
namespace {

// bodies of humanoid.xml
constexpr int kTorso = 1, kHead = 2;
constexpr std::array kExtremities = {16, 10, 13, 7};  // left hand, left foot, right hand, right foot

void reset(const mjModel& model, mjData& data, Rng& rng) {
  // any posture whose limbs touch nothing; the controls are zero here, so actuators add no force
  do {
    double norm = 0;
    for (int k = 3; k < 7; ++k) {
      data.qpos[k] = rng.uniform();
      norm += data.qpos[k] * data.qpos[k];
    }
    for (int k = 3; k < 7; ++k) data.qpos[k] /= std::sqrt(norm);
    for (int k = 0; k < model.nv; ++k) data.qvel[k] = 0.1 * rng.normal();
    for (int joint = 1; joint < model.njnt; ++joint)
      data.qpos[6 + joint] = rng.uniform(model.jnt_range[2 * joint], model.jnt_range[2 * joint + 1]);
    mj_forward(&model, &data);
  } while (data.ncon > 0);
}

void command(const mjModel&, mjData& data, std::span<const double> action) {
  std::copy(action.begin(), action.end(), data.ctrl);
}

// half a step first and last, so that the observation's derived quantities belong to the new state
void advance(const mjModel& model, mjData& data) {
  mj_step2(&model, &data);
  for (int frame = 1; frame < kFrameSkip; ++frame) mj_step(&model, &data);
  mj_step1(&model, &data);
}

void observe(const mjModel& model, const mjData& data, std::span<double> out) {
  double* at = out.data();
  at = std::copy_n(data.qpos, 2, at);
  at = std::copy_n(data.qpos + 7, model.nq - 7, at);
  *at++ = data.xpos[3 * kHead + 2];

  // limbs in the torso's frame
  const double* torso = data.xpos + 3 * kTorso;
  const double* frame = data.xmat + 9 * kTorso;
  for (const int body : kExtremities) {
    const double* limb = data.xpos + 3 * body;
    const double offset[3] = {limb[0] - torso[0], limb[1] - torso[1], limb[2] - torso[2]};
    for (int column = 0; column < 3; ++column)
      *at++ = offset[0] * frame[column] + offset[1] * frame[3 + column] + offset[2] * frame[6 + column];
  }
  at = std::copy_n(frame + 6, 3, at);        // which way is up
  at = std::copy_n(data.sensordata, 3, at);  // velocity of the centre of mass
  std::copy_n(data.qvel, model.nv, at);
}

}  // namespace

const Body& humanoid_body() {
  static const Body body{.name = "humanoid",
                         .summary = "humanoid with 21 joints",
                         .observation_size = 69,
                         .goal_tolerance = 0.5,
                         .settle_steps = 40,
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

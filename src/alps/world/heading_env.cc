#include "alps/world/heading_env.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr int kTorso = 1, kHead = 2;  // bodies of humanoid.xml
constexpr std::array kFeet = {7, 10};
constexpr double kStepSeconds = 0.025, kLongestStride = 0.4;
constexpr int kShortestSwing = 3;       // steps
constexpr double kShortestStep = 0.05;  // metres
constexpr size_t kOwnState = 12;        // numbers of a state before the last torques
constexpr size_t kRoot = 7, kRootVelocity = 6;
// places in the observation without x and y: velocities of the centre of mass and of the root
constexpr size_t kJoints = 21, kCentre = 37, kRootLinear = 40;
constexpr double kLowestHead = 1.1, kLeastUpright = 0.6;  // of a body that is up; below, a fall cannot be stopped

double share(double value, double low, double high) { return std::clamp((value - low) / (high - low), 0.0, 1.0); }

double mean_square(std::span<const double> a) {
  double sum = 0;
  for (const double x : a) sum += x * x;
  return sum / static_cast<double>(a.size());
}

}  // namespace

double heading_of(std::span<const double> torso_axes) { return std::atan2(-torso_axes[1], torso_axes[4]); }

HeadingEnv::HeadingEnv(ModelPtr model)
    : model_(std::move(model)),
      data_(make_data(model_)),
      servo_(*model_),
      seen_(body_.observation_size),
      torques_(servo_.size()),
      before_(servo_.size()),
      seen_by_teacher_(body_.observation_size),
      seen_by_student_(body_.observation_size) {
  // as high as it takes for the lowest part to touch the floor
  mj_forward(model_.get(), data_.get());
  double lowest = 1e9;
  for (int g = 0; g < model_->ngeom; ++g)
    if (model_->geom_bodyid[g] != 0) lowest = std::min(lowest, data_->geom_xpos[3 * g + 2] - model_->geom_size[3 * g]);
  for (int j = 1; j < model_->njnt; ++j) {
    const std::string name = mj_id2name(model_.get(), mjOBJ_JOINT, j);
    if (!name.ends_with("hip_y") && !name.ends_with("knee") && !name.ends_with("ankle_y")) idle_.push_back(6 + j);
  }
  standing_height_ = model_->qpos0[2] - lowest + 0.01;
}

void HeadingEnv::reset(const HeadingTask& task, Rng& rng) {
  mj_resetData(model_.get(), data_.get());
  dropped_ = rng.uniform() < task.drops;
  if (dropped_)
    body_.reset(*model_, *data_, rng);
  else
    stand(rng);
  age_ = 0;
  up_ = risen_ = !dropped_;
  std::fill(before_.begin(), before_.end(), 0.0);
  on_ground_ = in_air_ = {};
  last_ahead_ = -1;
  command(task, rng);
  if (task.push > 0 && !dropped_) push(task.push, rng);
  look();
}

void HeadingEnv::stand(Rng& rng) {
  const double yaw = rng.uniform(-std::numbers::pi, std::numbers::pi);
  double* q = data_->qpos;
  q[2] = standing_height_;
  q[3] = std::cos(yaw / 2), q[4] = q[5] = 0, q[6] = std::sin(yaw / 2);
  for (int k = kRoot; k < model_->nq; ++k) q[k] = model_->qpos0[k] + 0.05 * rng.normal();
  for (int k = 0; k < model_->nv; ++k) data_->qvel[k] = 0.05 * rng.normal();
  mj_forward(model_.get(), data_.get());
}

void HeadingEnv::command(const HeadingTask& task, Rng& rng) {
  const double widest = std::min(task.spread, std::numbers::pi);
  const double angle = heading_of({data_->xmat + 9 * kTorso, 9}) + rng.uniform(-widest, widest);
  direction_ = {std::cos(angle), std::sin(angle)};
  left_ =
      task.shortest_way + static_cast<int>(rng.below(static_cast<uint64_t>(task.longest_way - task.shortest_way + 1)));
}

double HeadingEnv::ahead(size_t foot, double heading) const {
  const double* at = data_->xpos + 3 * kFeet[foot];
  return std::cos(heading) * at[0] + std::sin(heading) * at[1];
}

double HeadingEnv::stride(double heading) {
  std::array<bool, 2> touches{};
  for (int c = 0; c < data_->ncon; ++c)
    for (const int geom : data_->contact[c].geom)
      for (size_t foot = 0; foot < 2; ++foot) touches[foot] |= geom >= 0 && model_->geom_bodyid[geom] == kFeet[foot];
  const auto place = [&](size_t foot) { return ahead(foot, heading); };
  for (size_t foot = 0; foot < 2; ++foot) {
    const bool lands = touches[foot] && in_air_[foot] > kShortestSwing;
    if (lands && place(foot) > place(1 - foot) + kShortestStep) last_ahead_ = static_cast<int>(foot);
    on_ground_[foot] = touches[foot] ? on_ground_[foot] + 1 : 0;
    in_air_[foot] = touches[foot] ? 0 : in_air_[foot] + 1;
  }
  if (touches[0] == touches[1]) return 0;
  // the feet take turns at landing ahead of each other
  const size_t swings = touches[0] ? 1 : 0, stands = 1 - swings;
  if (last_ahead_ == static_cast<int>(swings)) return 0;
  const double time = std::min(kStepSeconds * std::min(on_ground_[stands], in_air_[swings]), kLongestStride);
  return time * share(place(swings) - place(stands), -0.2, 0.2);
}

// a change of the whole body's velocity
void HeadingEnv::push(double most, Rng& rng) {
  const double angle = rng.uniform(-std::numbers::pi, std::numbers::pi), size = rng.uniform(0, most);
  data_->qvel[0] += size * std::cos(angle);
  data_->qvel[1] += size * std::sin(angle);
  mj_forward(model_.get(), data_.get());
}

void HeadingEnv::set_direction(Point2 direction) {
  direction_ = direction;
  look();
}

HeadingEnv::Step HeadingEnv::step(const HeadingTask& task, std::span<const float> targets, Rng& rng) {
  servo_.torques(targets, {data_->qpos + kRoot, servo_.size()}, {data_->qvel + kRootVelocity, servo_.size()}, torques_);
  std::vector<double> change(servo_.size());
  for (size_t k = 0; k < change.size(); ++k) change[k] = torques_[k] - before_[k];
  before_ = torques_;
  std::vector<double> noisy = torques_;
  if (task.torque_noise > 0)
    for (double& a : noisy) a = std::clamp(a + task.torque_noise * rng.normal(), -1.0, 1.0);
  body_.command(*model_, *data_, noisy);
  body_.advance(*model_, *data_);
  ++age_;

  const double* axes = data_->xmat + 9 * kTorso;
  const double head = data_->xpos[3 * kHead + 2], upright = axes[8], heading = heading_of({axes, 9});
  const Point2 velocity{data_->sensordata[0], data_->sensordata[1]};
  Step result;
  result.along = velocity.x * direction_.x + velocity.y * direction_.y;
  const double facing = std::cos(heading) * direction_.x + std::sin(heading) * direction_.y;
  const double dx = velocity.x - task.speed * direction_.x, dy = velocity.y - task.speed * direction_.y;
  const double standing = share(upright, 0.5, 0.9) * share(head, 1.0, 1.35);
  const double asked = std::min(task.speed, 1.0);
  // a body on the floor has other things to do
  const bool lies = head < 1.0 || task.speed <= 0;
  const double progress = lies ? 1.0 : std::clamp(result.along / task.speed, 0.0, 1.0);
  const double width = 0.25 * (1 + task.speed * task.speed);
  const double walking = std::exp(-(dx * dx + dy * dy) / width) - asked * std::exp(-task.speed * task.speed / width) +
                         0.5 * std::clamp(result.along, -1.0, task.speed) +
                         (0.15 * (1 + facing) + 2.5 * stride(heading)) * asked;
  const double high = share(head, 0.1, 1.4) * (0.5 + 0.5 * upright);
  const double being = (0.2 * standing + 0.4 * high) * (1 - asked + asked * progress);
  const double apart = standing * share(std::abs(ahead(0, heading) - ahead(1, heading)), 0.1, 0.4) * (1 - asked);
  double astray = 0;
  for (const int k : idle_) astray += (data_->qpos[k] - model_->qpos0[k]) * (data_->qpos[k] - model_->qpos0[k]);
  result.reward = 0.1 * (standing * walking + being - 0.5 * apart - 0.1 * mean_square(torques_) -
                         0.05 * mean_square(change) - 0.15 * astray / static_cast<double>(idle_.size()));

  // MuJoCo puts an unstable simulation back to its start; nothing follows
  const bool unstable = data_->warning[mjWARN_BADQACC].number + data_->warning[mjWARN_BADQPOS].number +
                            data_->warning[mjWARN_BADQVEL].number >
                        0;
  if (unstable) result.reward = 0;
  const bool up = !unstable && head >= kLowestHead && upright >= kLeastUpright;
  result.fell = up_ && !up && risen_;
  // on its feet: standing as a walker does, not just sitting up
  const bool on_feet = up && standing > 0.5;
  result.rose = on_feet && !risen_;
  risen_ = risen_ || on_feet;
  up_ = up;
  result.terminated = unstable || (task.falls_end && result.fell);
  result.cut = !result.terminated && age_ >= task.longest;
  if (--left_ <= 0) {
    command(task, rng);
    if (task.push > 0) push(task.push, rng);
  }
  look();
  return result;
}

void HeadingEnv::look() {
  body_.observe(*model_, *data_, seen_);
  const size_t posture = seen_.size() - 2;
  for (size_t k = 0; k < posture; ++k) seen_by_student_[k] = static_cast<float>(seen_[k + 2]);
  seen_by_student_[posture] = static_cast<float>(direction_.x);
  seen_by_student_[posture + 1] = static_cast<float>(direction_.y);

  // the three pairs that depend on which way the world is turned
  seen_by_teacher_ = seen_by_student_;
  const double heading = heading_of({data_->xmat + 9 * kTorso, 9});
  const double c = std::cos(heading), s = std::sin(heading);
  for (const size_t k : {kCentre, kRootLinear, posture}) {
    const double x = k == posture ? direction_.x : seen_[k + 2], y = k == posture ? direction_.y : seen_[k + 3];
    seen_by_teacher_[k] = static_cast<float>(c * x + s * y);
    seen_by_teacher_[k + 1] = static_cast<float>(c * y - s * x);
  }
}

MirrorMap HeadingEnv::observation_mirror() const {
  const MirrorMap joints = mirror_of_joints(*model_);
  ALPS_CHECK(joints.size() == kJoints);
  MirrorMap map = joints;
  map.add(1);  // height of the head
  // left hand, left foot, right hand, right foot
  for (const size_t other : {2, 3, 0, 1})
    for (size_t axis = 0; axis < 3; ++axis) {
      map.from.push_back(kJoints + 1 + 3 * other + axis);
      map.sign.push_back(axis == 1 ? -1.0f : 1.0f);
    }
  for (int vector = 0; vector < 3; ++vector)  // up, velocities of the centre of mass and of the root
    for (const float sign : {1.0f, -1.0f, 1.0f}) map.add(sign);
  for (const float sign : {-1.0f, 1.0f, -1.0f}) map.add(sign);  // turning
  map.append(joints);
  for (const float sign : {1.0f, -1.0f}) map.add(sign);  // direction
  ALPS_CHECK(map.size() == observation_size());
  return map;
}

std::vector<double> HeadingEnv::state() const {
  std::vector<double> state = {
      static_cast<double>(age_), static_cast<double>(left_), direction_.x, direction_.y, static_cast<double>(dropped_),
      static_cast<double>(up_),  static_cast<double>(risen_)};
  for (const auto& times : {on_ground_, in_air_}) state.insert(state.end(), times.begin(), times.end());
  state.push_back(last_ahead_);
  state.insert(state.end(), before_.begin(), before_.end());
  const size_t first = state.size();
  state.resize(first + static_cast<size_t>(mj_stateSize(model_.get(), mjSTATE_INTEGRATION)));
  mj_getState(model_.get(), data_.get(), state.data() + first, mjSTATE_INTEGRATION);
  return state;
}

void HeadingEnv::set_state(std::span<const double> state) {
  const size_t first = kOwnState + before_.size();
  if (state.size() != first + static_cast<size_t>(mj_stateSize(model_.get(), mjSTATE_INTEGRATION)))
    throw Error("a state of the humanoid's lessons has another size than ", state.size());
  age_ = static_cast<int>(state[0]), left_ = static_cast<int>(state[1]);
  direction_ = {state[2], state[3]};
  dropped_ = state[4] != 0, up_ = state[5] != 0, risen_ = state[6] != 0;
  for (size_t foot = 0; foot < 2; ++foot) {
    on_ground_[foot] = static_cast<int>(state[7 + foot]);
    in_air_[foot] = static_cast<int>(state[9 + foot]);
  }
  last_ahead_ = static_cast<int>(state[11]);
  std::copy_n(state.begin() + kOwnState, before_.size(), before_.begin());
  // derived quantities, without the change of the warm start that they bring along
  mj_resetData(model_.get(), data_.get());
  mj_setState(model_.get(), data_.get(), state.data() + first, mjSTATE_INTEGRATION);
  mj_forward(model_.get(), data_.get());
  mj_setState(model_.get(), data_.get(), state.data() + first, mjSTATE_INTEGRATION);
  look();
}

}  // namespace alps

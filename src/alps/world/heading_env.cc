#include "alps/world/heading_env.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr int kTorso = 1, kHead = 2;  // bodies of humanoid.xml
constexpr std::array kFeet = {7, 10};
constexpr double kStepSeconds = 0.025;
constexpr size_t kOwnState = 8;  // numbers of a state before the last torques
constexpr size_t kRoot = 7, kRootVelocity = 6;
// places in the observation without x and y: velocities of the centre of mass and of the root
constexpr size_t kJoints = 21, kCentre = 37, kRootLinear = 40;
constexpr double kLowestHead = 1.1, kLeastUpright = 0.6;  // of a body that is up; below, a fall cannot be stopped
constexpr int kInTheAir = 30;                             // steps after a drop
constexpr double kSlowest = 0.5, kFastestTurn = 1.5;      // share of the speed while it turns round; radians a second

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
      gait_(*model_),
      seen_(body_.observation_size),
      torques_(servo_.size()),
      before_(servo_.size()),
      change_(servo_.size()),
      angles_(servo_.size()),
      seen_by_teacher_(body_.observation_size + 2),
      seen_by_student_(body_.observation_size) {
  // as high as it takes for the lowest part to touch the floor
  mj_forward(model_.get(), data_.get());
  double lowest = 1e9;
  for (int g = 0; g < model_->ngeom; ++g)
    if (model_->geom_bodyid[g] != 0) lowest = std::min(lowest, data_->geom_xpos[3 * g + 2] - model_->geom_size[3 * g]);
  standing_height_ = model_->qpos0[2] - lowest + 0.01;
}

void HeadingEnv::reset(const HeadingTask& task, Rng& rng) {
  mj_resetData(model_.get(), data_.get());
  dropped_ = rng.uniform() < task.drops;
  phase_ = rng.uniform();
  pull_ = task.help * rng.uniform(0.5, 1) * mj_getTotalmass(model_.get()) * -model_->opt.gravity[2];
  if (dropped_)
    body_.reset(*model_, *data_, rng);
  else {
    stand(rng);
    if (rng.uniform() < task.eased) task.lesson == Lesson::kWalk ? stride(task.speed) : squat(rng.uniform());
  }
  age_ = 0;
  up_ = !dropped_ && data_->xpos[3 * kHead + 2] >= kLowestHead;
  std::fill(before_.begin(), before_.end(), 0.0);
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

// as if it had walked for a while
void HeadingEnv::stride(double speed) {
  const double heading = heading_of({data_->xmat + 9 * kTorso, 9});
  std::vector<double> later(servo_.size());
  gait_.angles(phase_, 1, angles_);
  gait_.angles(phase_ + 0.01, 1, later);
  for (size_t j = 0; j < servo_.size(); ++j) {
    data_->qpos[kRoot + j] += angles_[j] - servo_.rest[j];
    data_->qvel[kRootVelocity + j] += (later[j] - angles_[j]) / (0.01 * Gait::kPeriod);
  }
  data_->qvel[0] += speed * std::cos(heading), data_->qvel[1] += speed * std::sin(heading);
  put_on_feet();
}

// with the centre of mass above the feet
void HeadingEnv::squat(double depth) {
  const double knee = -2.4 * depth, ankle = -0.75 * depth, waist = -0.4 * depth;
  const double hip = -0.077 - 3.1 * depth + 1.15 * depth * depth;
  for (int j = 1; j < model_->njnt; ++j) {
    const std::string_view name = mj_id2name(model_.get(), mjOBJ_JOINT, j);
    double& angle = data_->qpos[model_->jnt_qposadr[j]];
    if (name.ends_with("hip_y")) angle += hip;
    if (name.ends_with("hip_x") || name.ends_with("hip_z")) angle -= 0.15 + 0.1 * depth;  // knees and feet apart
    if (name.ends_with("knee")) angle += knee;
    if (name.ends_with("ankle_y")) angle += ankle;
    if (name == "abdomen_y") angle += waist;
  }
  const double lean = (knee - waist - hip - ankle) / 2, c = std::cos(lean), s = std::sin(lean);
  double* q = data_->qpos + 3;  // of a body that is only turned about the vertical axis
  q[1] = -q[3] * s, q[2] = q[0] * s;
  q[0] *= c, q[3] *= c;
  put_on_feet();
}

// moves the body so that the lower foot touches the floor
void HeadingEnv::put_on_feet() {
  mj_kinematics(model_.get(), data_.get());
  double lowest = 1e9;
  for (int g = 0; g < model_->ngeom; ++g) {
    if (std::ranges::find(kFeet, model_->geom_bodyid[g]) == kFeet.end()) continue;
    const double half = std::abs(data_->geom_xmat[9 * g + 8]) * model_->geom_size[3 * g + 1];
    lowest = std::min(lowest, data_->geom_xpos[3 * g + 2] - half - model_->geom_size[3 * g]);
  }
  data_->qpos[2] -= lowest;
  mj_forward(model_.get(), data_.get());
}

void HeadingEnv::command(const HeadingTask& task, Rng& rng) {
  const double widest = std::min(task.spread, std::numbers::pi);
  const double angle = heading_of({data_->xmat + 9 * kTorso, 9}) + rng.uniform(-widest, widest);
  direction_ = {std::cos(angle), std::sin(angle)};
  left_ =
      task.shortest_way + static_cast<int>(rng.below(static_cast<uint64_t>(task.longest_way - task.shortest_way + 1)));
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
  for (size_t k = 0; k < change_.size(); ++k) change_[k] = torques_[k] - before_[k];
  before_ = torques_;
  std::vector<double> noisy = torques_;
  if (task.torque_noise > 0)
    for (double& a : noisy) a = std::clamp(a + task.torque_noise * rng.normal(), -1.0, 1.0);
  body_.command(*model_, *data_, noisy);
  data_->xfrc_applied[6 * kTorso + 2] = pull_ * share(-data_->xpos[3 * kHead + 2], -1.4, -1.2);
  body_.advance(*model_, *data_);
  ++age_;

  Step result;
  result.along = data_->sensordata[0] * direction_.x + data_->sensordata[1] * direction_.y;
  result.reward = 0.1 * ((task.lesson == Lesson::kWalk ? walked(task) : risen()) - effort());

  // MuJoCo puts an unstable simulation back to its start; nothing follows
  const bool unstable = data_->warning[mjWARN_BADQACC].number + data_->warning[mjWARN_BADQPOS].number +
                            data_->warning[mjWARN_BADQVEL].number >
                        0;
  if (unstable) result.reward = 0;
  const double head = data_->xpos[3 * kHead + 2], upright = data_->xmat[9 * kTorso + 8];
  const bool down = unstable || head < kLowestHead || upright < kLeastUpright;
  // standing as a walker does, not just sitting up, nor in the air after a drop
  const bool stands = !down && standing() > 0.5 && (!dropped_ || age_ > kInTheAir);
  result.fell = up_ && down;
  result.rose = !up_ && stands;
  up_ = up_ ? !down : stands;
  const Gait::Told told =
      gait_.told({data_->qpos + kRoot, servo_.size()}, {data_->qvel + kRootVelocity, servo_.size()});
  phase_ = result.rose ? told.phase : gait_.next(phase_, told, kStepSeconds);
  result.terminated = unstable || (task.falls_end && result.fell);
  result.cut = !result.terminated && age_ >= task.longest;
  if (--left_ <= 0) {
    command(task, rng);
    if (task.push > 0) push(task.push, rng);
  }
  look();
  return result;
}

double HeadingEnv::standing() const {
  return share(data_->xmat[9 * kTorso + 8], 0.5, 0.9) * share(data_->xpos[3 * kHead + 2], 1.0, 1.35);
}

double HeadingEnv::effort() const { return 0.1 * mean_square(torques_) + 0.05 * mean_square(change_); }

double HeadingEnv::error(double heading) const {
  const double c = std::cos(heading), s = std::sin(heading);
  return std::atan2(c * direction_.y - s * direction_.x, c * direction_.x + s * direction_.y);
}

double HeadingEnv::amount(double heading) const { return std::clamp(std::cos(error(heading)), kSlowest, 1.0); }

double HeadingEnv::walked(const HeadingTask& task) const {
  const double heading = heading_of({data_->xmat + 9 * kTorso, 9}), off = error(heading);
  const double speed = task.speed * amount(heading);
  const double c = std::cos(heading), s = std::sin(heading);
  const double ahead = c * data_->sensordata[0] + s * data_->sensordata[1];
  const double aside = c * data_->sensordata[1] - s * data_->sensordata[0];
  const double velocity = std::exp(-((ahead - speed) * (ahead - speed) + aside * aside) / 0.3);
  const double turning = data_->qvel[5] - std::clamp(2 * off, -kFastestTurn, kFastestTurn);
  std::vector<double> angles(servo_.size());
  gait_.angles(phase_, std::min(speed / Gait::kSpeed, 1.0), angles);
  const auto astray = [&](const std::vector<size_t>& joints) {
    double sum = 0;
    for (const size_t j : joints) sum += (data_->qpos[kRoot + j] - angles[j]) * (data_->qpos[kRoot + j] - angles[j]);
    return sum;
  };
  std::array<bool, 2> touches{};
  for (int contact = 0; contact < data_->ncon; ++contact)
    for (const int geom : data_->contact[contact].geom)
      for (size_t foot = 0; foot < 2; ++foot) touches[foot] |= geom >= 0 && model_->geom_bodyid[geom] == kFeet[foot];
  double feet = 0;
  for (size_t foot = 0; foot < 2; ++foot) {
    const int wanted = Gait::foot_at(phase_, foot);
    feet += wanted == 0 || (wanted > 0) == touches[foot] ? 0.5 : 0.0;
  }
  const double along = data_->sensordata[0] * direction_.x + data_->sensordata[1] * direction_.y;
  return standing() * (0.3 * std::exp(-2 * astray(gait_.leading())) + 0.1 * std::exp(-astray(gait_.resting())) +
                       0.3 * velocity + 0.3 * std::clamp(along / task.speed, -1.0, 1.0) +
                       0.15 * std::exp(-turning * turning / 2) + 0.05 * (1 + std::cos(off)) + 0.1 * feet);
}

double HeadingEnv::risen() const {
  const double* axes = data_->xmat + 9 * kTorso;
  const double heading = heading_of({axes, 9}), c = std::cos(heading), s = std::sin(heading);
  const double *right = data_->xpos + 3 * kFeet[0], *left = data_->xpos + 3 * kFeet[1];
  const double apart = share(std::abs(c * (right[0] - left[0]) + s * (right[1] - left[1])), 0.1, 0.4);
  const double* centre = data_->subtree_com + 3 * kTorso;
  const double x = centre[0] - (right[0] + left[0]) / 2, y = centre[1] - (right[1] + left[1]) / 2;
  const double under = std::exp(-(x * x + y * y) / 0.09);
  const double vx = data_->sensordata[0], vy = data_->sensordata[1];
  const double high = share(data_->xpos[3 * kHead + 2], 0.1, 1.4) * (0.5 + 0.5 * axes[8]);
  double astray = 0;
  for (const size_t j : gait_.resting()) {
    const double off = data_->qpos[kRoot + j] - servo_.rest[j];
    astray += off * off / static_cast<double>(gait_.resting().size());
  }
  return standing() * (0.2 + std::exp(-4 * (vx * vx + vy * vy)) - 0.5 * apart) + high * (0.3 + 0.4 * under) -
         0.05 * astray;
}

void HeadingEnv::lead(Lesson lesson, std::span<const float> said, std::span<float> targets) const {
  std::ranges::copy(said, targets.begin());
  if (lesson != Lesson::kWalk) return;
  for (size_t j = 0; j < targets.size(); ++j) targets[j] += static_cast<float>(angles_[j] - servo_.rest[j]);
}

void HeadingEnv::look() {
  body_.observe(*model_, *data_, seen_);
  const size_t posture = seen_.size() - 2;
  for (size_t k = 0; k < posture; ++k) seen_by_student_[k] = static_cast<float>(seen_[k + 2]);
  seen_by_student_[posture] = static_cast<float>(direction_.x);
  seen_by_student_[posture + 1] = static_cast<float>(direction_.y);

  // the three pairs that depend on which way the world is turned
  std::ranges::copy(seen_by_student_, seen_by_teacher_.begin());
  const double heading = heading_of({data_->xmat + 9 * kTorso, 9});
  const double c = std::cos(heading), s = std::sin(heading);
  for (const size_t k : {kCentre, kRootLinear, posture}) {
    const double x = k == posture ? direction_.x : seen_[k + 2], y = k == posture ? direction_.y : seen_[k + 3];
    seen_by_teacher_[k] = static_cast<float>(c * x + s * y);
    seen_by_teacher_[k + 1] = static_cast<float>(c * y - s * x);
  }
  const double angle = 2 * std::numbers::pi * phase_;
  seen_by_teacher_[posture + 2] = static_cast<float>(std::sin(angle));
  seen_by_teacher_[posture + 3] = static_cast<float>(std::cos(angle));
  gait_.angles(phase_, amount(heading), angles_);
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
  for (int k = 0; k < 2; ++k) map.add(-1.0f);            // phase: half a cycle on
  ALPS_CHECK(map.size() == observation_size());
  return map;
}

std::vector<double> HeadingEnv::state() const {
  std::vector<double> state = {static_cast<double>(age_),     static_cast<double>(left_), direction_.x, direction_.y,
                               static_cast<double>(dropped_), static_cast<double>(up_),   phase_,       pull_};
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
  dropped_ = state[4] != 0, up_ = state[5] != 0, phase_ = state[6], pull_ = state[7];
  std::copy_n(state.begin() + kOwnState, before_.size(), before_.begin());
  // derived quantities, without the change of the warm start that they bring along
  mj_resetData(model_.get(), data_.get());
  mj_setState(model_.get(), data_.get(), state.data() + first, mjSTATE_INTEGRATION);
  mj_forward(model_.get(), data_.get());
  mj_setState(model_.get(), data_.get(), state.data() + first, mjSTATE_INTEGRATION);
  look();
}

}  // namespace alps

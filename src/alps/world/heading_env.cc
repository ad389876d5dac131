#include "alps/world/heading_env.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "alps/base/error.h"
#include "alps/world/postures.h"

namespace alps {
namespace {

constexpr int kTorso = HumanoidParts::kTorso, kHead = HumanoidParts::kHead;
constexpr double kStepSeconds = 0.025;
constexpr size_t kOwnState = 10;  // numbers of a state before the last torques
constexpr size_t kRoot = HumanoidParts::kRoot, kRootVelocity = HumanoidParts::kRootVelocity;
// places in the observation without x and y: velocities of the centre of mass and of the root
constexpr size_t kJoints = 21, kCentre = 37, kRootLinear = 40;
constexpr double kLowestHead = 1.1, kLeastUpright = 0.6;  // of a body that is up; below, a fall cannot be stopped
constexpr double kQuarter = std::numbers::pi / 2;
constexpr double kReach = 1.5;              // radians of what the riser says
constexpr double kLeft = 0.03, kBonus = 3;  // so far from the way it has left it; for standing up
constexpr int kGrace = 15, kSteady = 12;    // steps after the way's end; on its feet before it walks
constexpr double kCalm = 0.5;               // metres a second, then

double mean_square(std::span<const double> a) {
  double sum = 0;
  for (const double x : a) sum += x * x;
  return sum / static_cast<double>(a.size());
}

}  // namespace

HeadingEnv::HeadingEnv(ModelPtr model, std::shared_ptr<const GetUps> ways)
    : model_(std::move(model)),
      data_(make_data(model_)),
      ways_(std::move(ways)),
      servo_(*model_),
      gait_(*model_),
      seen_(body_.observation_size),
      torques_(servo_.size()),
      before_(servo_.size()),
      change_(servo_.size()),
      angles_(servo_.size()),
      lying_(ways_ ? lying_targets(*model_) : std::vector<float>(servo_.size())),
      seen_by_teacher_(body_.observation_size + 2),
      seen_by_student_(body_.observation_size) {}

void HeadingEnv::reset(const HeadingTask& task, Rng& rng) {
  mj_resetData(model_.get(), data_.get());
  start_ = rng.uniform() < task.drops               ? Start::kDropped
           : rng.uniform() < task.lying && ways_    ? Start::kLying
           : rng.uniform() < task.risen && ways_    ? Start::kRisen
           : rng.uniform() < task.half_way && ways_ ? Start::kHalfWay
                                                    : Start::kUpright;
  phase_ = rng.uniform();
  stood_ = 0;
  mode_ = Mode::kLies;
  const size_t state = static_cast<size_t>(model_->nq + model_->nv);
  if (start_ == Start::kDropped) {
    body_.reset(*model_, *data_, rng);
  } else if (start_ == Start::kLying) {
    put(*model_, GetUps::pick(ways_->lying, state, rng), *data_);
    rise_from(on_its_back(*data_), 0);
  } else if (start_ == Start::kRisen) {
    mode_ = Mode::kWalks;
    put(*model_, GetUps::pick(ways_->risen, state, rng), *data_);
    phase_ = told().phase;
  } else if (start_ == Start::kHalfWay) {
    way_ = rng.below(2);
    const size_t step = rng.below(way().steps);
    put(*model_, way().state(step), *data_);
    for (int k = 0; k < model_->nv; ++k) data_->qvel[k] += 0.1 * rng.normal();
    for (int k = kRoot; k < model_->nq; ++k) data_->qpos[k] += 0.03 * rng.normal();
    mj_forward(model_.get(), data_.get());
    rise_from(way_, static_cast<int>(step));
  } else {
    mode_ = Mode::kWalks;
    stand(*model_, *data_, rng);
    if (rng.uniform() < task.strides) stride(*model_, *data_, gait_, phase_, task.speed);
  }
  age_ = 0;
  std::fill(before_.begin(), before_.end(), 0.0);
  command(task, rng);
  if (task.push > 0 && start_ == Start::kUpright) push(task.push, rng);
  look();
}

void HeadingEnv::command(const HeadingTask& task, Rng& rng) {
  const double widest = std::min(task.spread, rng.uniform() < task.about ? std::numbers::pi : kQuarter);
  const double angle = heading_of(*data_) + rng.uniform(-widest, widest);
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
  body_.advance(*model_, *data_);
  ++age_;

  Step result;
  result.along = progress(*data_, direction_);
  const bool unstable = data_->warning[mjWARN_BADQACC].number + data_->warning[mjWARN_BADQPOS].number +
                            data_->warning[mjWARN_BADQVEL].number >
                        0;
  const double head = data_->xpos[3 * kHead + 2], upright = data_->xmat[9 * kTorso + 8];
  const bool down = unstable || head < kLowestHead || upright < kLeastUpright;
  double earned = 0;
  bool left = false;
  if (mode_ == Mode::kWalks) {
    earned = walked(*model_, *data_, gait_, {task.speed, direction_, phase_});
    phase_ = gait_.next(phase_, told(), kStepSeconds);
    result.fell = down;
    if (down) mode_ = Mode::kLies;
  } else if (mode_ == Mode::kRises) {
    rise_from(way_, at_ + 1);
    const double near = near_way();
    earned = 0.5 * near + 0.5 * risen(*model_, *data_);
    stood_ = !down && standing(*data_) > 0.5 ? stood_ + 1 : 0;
    const double speed = std::hypot(data_->sensordata[0], data_->sensordata[1], data_->sensordata[2]);
    left = near < kLeft || at_ >= static_cast<int>(way().steps) + kGrace;
    result.rose = stood_ >= kSteady && speed < kCalm;
    if (result.rose) mode_ = Mode::kWalks, phase_ = told().phase;
    if (left && !result.rose) mode_ = Mode::kLies;
  } else if (ways_ && lies_still(*model_, *data_, lying_, servo_)) {
    rise_from(on_its_back(*data_), 0);
  }
  result.reward = 0.1 * (earned - effort());
  // MuJoCo puts an unstable simulation back to its start; nothing follows
  if (unstable) result.reward = 0;
  if (task.rising_ends && result.rose) result.reward += kBonus;
  result.terminated = unstable || (task.falls_end && result.fell) || (task.rising_ends && (result.rose || left));
  result.cut = !result.terminated && age_ >= (start_ == Start::kRisen ? task.handed_over : task.longest);
  if (--left_ <= 0) {
    command(task, rng);
    if (task.push > 0) push(task.push, rng);
  }
  look();
  return result;
}

double HeadingEnv::effort() const { return 0.1 * mean_square(torques_) + 0.05 * mean_square(change_); }

Gait::Told HeadingEnv::told() const {
  return gait_.told({data_->qpos + kRoot, servo_.size()}, {data_->qvel + kRootVelocity, servo_.size()});
}

void HeadingEnv::rise_from(size_t way, int step) {
  mode_ = Mode::kRises;
  way_ = way, at_ = step;
  // the belly's way is the first half of the circle, the back's the second
  phase_ = 0.5 * (std::min(step / static_cast<double>(this->way().steps), 1.0) + static_cast<double>(way));
}

// 1 on the way, less the further joints, torso and head are from it
double HeadingEnv::near_way() const {
  const std::span<const double> state = way().state(static_cast<size_t>(at_));
  double joints = 0, lean = 0;
  for (size_t j = 0; j < servo_.size(); ++j) {
    const double off = data_->qpos[kRoot + j] - state[kRoot + j];
    joints += off * off / static_cast<double>(servo_.size());
  }
  double rotation[9];
  mju_quat2Mat(rotation, state.data() + 3);
  for (size_t axis = 0; axis < 3; ++axis) {
    const double off = data_->xmat[9 * kTorso + 6 + axis] - rotation[6 + axis];
    lean += off * off;
  }
  const double low = data_->qpos[2] - state[2];
  return std::exp(-4 * joints - 2 * lean - 10 * low * low);
}

void HeadingEnv::lead(std::span<const float> said, std::span<float> targets) const {
  const std::span<const float> led = mode_ == Mode::kRises ? way().target(static_cast<size_t>(at_)) : lying_;
  for (size_t j = 0; j < targets.size(); ++j) {
    const double target = mode_ == Mode::kWalks   ? said[j] + angles_[j] - servo_.rest[j]
                          : mode_ == Mode::kRises ? led[j] + kReach * said[j]
                                                  : led[j];
    targets[j] = static_cast<float>(std::clamp(target, -servo_.farthest, servo_.farthest));
  }
}

void HeadingEnv::look() {
  body_.observe(*model_, *data_, seen_);
  const size_t posture = seen_.size() - 2;
  for (size_t k = 0; k < posture; ++k) seen_by_student_[k] = static_cast<float>(seen_[k + 2]);
  seen_by_student_[posture] = static_cast<float>(direction_.x);
  seen_by_student_[posture + 1] = static_cast<float>(direction_.y);

  // the three pairs that depend on which way the world is turned
  std::ranges::copy(seen_by_student_, seen_by_teacher_.begin());
  const double heading = heading_of(*data_);
  const double c = std::cos(heading), s = std::sin(heading);
  for (const size_t k : {kCentre, kRootLinear, posture}) {
    const double x = k == posture ? direction_.x : seen_[k + 2], y = k == posture ? direction_.y : seen_[k + 3];
    seen_by_teacher_[k] = static_cast<float>(c * x + s * y);
    seen_by_teacher_[k + 1] = static_cast<float>(c * y - s * x);
  }
  const double angle = 2 * std::numbers::pi * phase_;
  seen_by_teacher_[posture + 2] = static_cast<float>(std::sin(angle));
  seen_by_teacher_[posture + 3] = static_cast<float>(std::cos(angle));
  gait_.angles(phase_, stride_amount(heading, direction_), angles_);
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
  std::vector<double> state = {
      static_cast<double>(age_),   static_cast<double>(left_), direction_.x, direction_.y,
      static_cast<double>(start_), static_cast<double>(mode_), phase_,       static_cast<double>(way_),
      static_cast<double>(at_),    static_cast<double>(stood_)};
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
  start_ = static_cast<Start>(static_cast<int>(state[4])), phase_ = state[6];
  mode_ = static_cast<Mode>(static_cast<int>(state[5]));
  way_ = static_cast<size_t>(state[7]), at_ = static_cast<int>(state[8]), stood_ = static_cast<int>(state[9]);
  std::copy_n(state.begin() + kOwnState, before_.size(), before_.begin());
  // derived quantities, without the change of the warm start that they bring along
  mj_resetData(model_.get(), data_.get());
  mj_setState(model_.get(), data_.get(), state.data() + first, mjSTATE_INTEGRATION);
  mj_forward(model_.get(), data_.get());
  mj_setState(model_.get(), data_.get(), state.data() + first, mjSTATE_INTEGRATION);
  look();
}

}  // namespace alps

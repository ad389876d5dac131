#include "alps/world/arm_env.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kTolerance = 0.04;  // of cubes and slides at their goals
constexpr double kPressed = -0.02;   // of a button's joint
constexpr double kOnTable = 0.02;    // height of a cube's centre
constexpr double kOpenDrawer = -0.16, kOpenWindow = 0.2;
constexpr Vec3 kSafeLow{0.05, -0.55, -0.18}, kSafeHigh{0.8, 0.55, 0.55};  // a cube beyond has flown away

}  // namespace

ArmEnv::ArmEnv(std::string name, const ArmWorld& world, EnvOptions options)
    : world_(world),
      options_(options),
      shared_(std::make_shared<Shared>()),
      buttons_(world.buttons()),
      goal_buttons_(world.buttons()),
      observation_(world.observation_size()),
      goal_observation_(world.observation_size()) {
  spec_ = {.name = std::move(name),
           .observation_shape = {static_cast<size_t>(world.observation_size())},
           .action_size = 5,
           .max_episode_steps = world.max_episode_steps,
           .num_tasks = static_cast<int>(world.tasks.size())};
}

ArmEnv::ArmEnv(const ArmEnv& other)
    : spec_(other.spec_),
      world_(other.world_),
      options_(other.options_),
      shared_(other.shared_),
      buttons_(other.buttons_.size()),
      goal_buttons_(other.buttons_.size()),
      observation_(other.observation_.size()),
      goal_observation_(other.observation_.size()) {}

std::unique_ptr<Env> ArmEnv::clone() const { return std::unique_ptr<Env>(new ArmEnv(*this)); }

ArmSim& ArmEnv::sim() const {
  if (!sim_) {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->sim) shared_->sim = std::make_unique<ArmSim>(world_);
    sim_ = std::make_unique<ArmSim>(*shared_->sim);
  }
  return *sim_;
}

void ArmEnv::reset(int task, Rng rng) {
  if (task < 1 || task > spec_.num_tasks)
    throw UsageError("task ", task, " of ", spec_.name, " does not exist; tasks are 1 to ", spec_.num_tasks);
  const auto& [start, goal] = world_.tasks[task - 1];
  rng_ = rng;
  playing_ = false;
  ArmSim& s = sim();
  s.start();

  // which cube is which is drawn anew
  std::vector<int> order(world_.cubes);
  std::iota(order.begin(), order.end(), 0);
  for (int i = world_.cubes - 1; i > 0; --i) std::swap(order[i], order[rng_.below(i + 1)]);

  // the goal's observation: the goal's scene after some random actions
  const std::vector<double> qpos(s.qpos().begin(), s.qpos().end()), qvel(s.qvel().begin(), s.qvel().end());
  s.pose_arm(rng_);
  for (int i = 0; i < world_.cubes; ++i) {
    s.put_cube(i, goal.cubes[order[i]], kNoRotation);
    s.put_goal_cube(i, goal.cubes[order[i]]);
  }
  goal_buttons_ = buttons_ = goal.buttons;
  goal_drawer_ = goal.drawer;
  goal_window_ = goal.window;
  if (world_.buttons() > 0) lock_and_forward();
  if (world_.furniture) {
    s.put_slide(Slide::kDrawer, goal.drawer);
    s.put_slide(Slide::kWindow, goal.window);
  }
  s.forward();
  std::array<double, 5> action{};
  for (int step = 0; step < world_.settle_steps; ++step) {
    for (double& a : action) a = rng_.uniform(-1, 1);
    if (world_.settle_shut) action[4] = 1;
    act(action);
  }
  observe(goal_observation_);
  goal_qpos_.assign(s.qpos().begin(), s.qpos().end());

  // the reset itself
  std::ranges::copy(qpos, s.data().qpos);
  std::ranges::copy(qvel, s.data().qvel);
  s.pose_arm(rng_);
  for (int i = 0; i < world_.cubes; ++i) put_cube_near(i, start.cubes[order[i]], 0.01);
  buttons_ = start.buttons;
  if (world_.buttons() > 0) lock_and_forward();
  if (world_.furniture) {
    s.put_slide(Slide::kDrawer, std::clamp(start.drawer + rng_.uniform(-0.01, 0.01), kOpenDrawer, 0.0));
    s.put_slide(Slide::kWindow, std::clamp(start.window + rng_.uniform(-0.01, 0.01), 0.0, kOpenWindow));
  }
  finish_reset();
}

void ArmEnv::start_play(Rng rng) {
  rng_ = rng;
  playing_ = true;
  ArmSim& s = sim();
  s.start();
  s.pose_arm(rng_);
  for (int i = 0; i < world_.cubes; ++i) throw_cube(i);
  for (int& button : buttons_) button = static_cast<int>(rng_.below(2));
  goal_buttons_ = buttons_;
  if (world_.buttons() > 0) lock_and_forward();
  if (world_.furniture) {
    s.put_slide(Slide::kDrawer, rng_.uniform(kOpenDrawer, 0));
    s.put_slide(Slide::kWindow, rng_.uniform(0, kOpenWindow));
  }
  finish_reset();
  goal_observation_ = observation_;
  goal_qpos_.assign(s.qpos().begin(), s.qpos().end());
}

void ArmEnv::finish_reset() {
  const std::vector<double> before = button_joints();
  sim().forward();
  follow_up(before);
  sim().forward();
  observe(observation_);
  steps_ = 0;
}

void ArmEnv::put_cube_near(int i, const Vec3& place, double room) {
  Vec3 at = place;
  for (int k = 0; k < 2; ++k) at[k] += rng_.uniform(-room, room);
  sim().put_cube(i, at, rotation_z(rng_.uniform(0, 2 * kPi)));
}

void ArmEnv::throw_cube(int i) {
  Vec3 at{0, 0, kOnTable};
  for (int k = 0; k < 2; ++k) at[k] = rng_.uniform(world_.object_low[k], world_.object_high[k]);
  sim().put_cube(i, at, rotation_z(rng_.uniform(0, 2 * kPi)));
}

StepResult ArmEnv::step(std::span<const double> action) {
  ALPS_CHECK(action.size() == static_cast<size_t>(spec_.action_size));
  if (!std::all_of(action.begin(), action.end(), [](double a) { return std::isfinite(a); }))
    throw Error("action of ", spec_.name, " at step ", steps_, " is not finite; check the policy that made it");
  act(action);
  ++steps_;
  observe(observation_);
  StepResult result;
  result.success = !playing_ && success();
  result.terminated = result.success && options_.terminate_at_goal;
  const int limit = options_.max_episode_steps > 0 ? options_.max_episode_steps : spec_.max_episode_steps;
  result.truncated = steps_ >= limit;
  return result;
}

void ArmEnv::act(std::span<const double> action) {
  sim().command(action);
  const std::vector<double> before = button_joints();
  sim().advance();
  follow_up(before);
}

void ArmEnv::follow_up(std::span<const double> before) {
  ArmSim& s = sim();
  // A drawer that is locked while it moves may throw the cube away, rarely: it comes back to the table. Data with such
  // a cube are thrown away by those who make them.
  for (int i = 0; i < world_.cubes && world_.furniture && !playing_; ++i) {
    const Vec3 at = s.cube(i).position;
    const auto away = [&](int k) { return at[k] <= kSafeLow[k] || at[k] >= kSafeHigh[k]; };
    if (!away(0) && !away(1) && !away(2)) continue;
    throw_cube(i);
    s.rest_cube(i);
    s.forward();
  }

  // a button that was pushed down changes, and in a grid its neighbours too
  for (int i = 0; i < world_.buttons(); ++i) {
    if (before[i] <= kPressed || s.button(i) > kPressed) continue;
    buttons_[i] = 1 - buttons_[i];
    const int columns = world_.button_columns, row = columns > 0 ? i / columns : 0, column = i - row * columns;
    if (row > 0) buttons_[i - columns] = 1 - buttons_[i - columns];
    if (row + 1 < world_.button_rows) buttons_[i + columns] = 1 - buttons_[i + columns];
    if (column > 0 && columns > 0) buttons_[i - 1] = 1 - buttons_[i - 1];
    if (column + 1 < columns) buttons_[i + 1] = 1 - buttons_[i + 1];
  }
  if (world_.buttons() > 0) lock_and_forward();
}

void ArmEnv::lock_and_forward() {
  if (world_.furniture) sim().lock(buttons_[0] == 0, buttons_[1] == 0);
  sim().forward();
}

std::vector<double> ArmEnv::button_joints() const {
  std::vector<double> joints;
  for (int i = 0; i < world_.buttons(); ++i) joints.push_back(sim().button(i));
  return joints;
}

bool ArmEnv::success() const {
  const ArmSim& s = sim();
  for (int i = 0; i < world_.cubes; ++i)
    if (length(difference(s.cube(i).position, s.goal_cube(i))) > kTolerance) return false;
  if (buttons_ != goal_buttons_) return false;
  return !world_.furniture || (std::abs(s.slide(Slide::kDrawer) - goal_drawer_) <= kTolerance &&
                               std::abs(s.slide(Slide::kWindow) - goal_window_) <= kTolerance);
}

void ArmEnv::observe(std::vector<float>& out) const {
  constexpr Vec3 kCenter{0.425, 0, 0};
  constexpr double kPlaces = 10, kGripper = 3, kButtons = 120, kDrawer = 18, kWindow = 15;
  const ArmSim& s = sim();
  auto at = out.begin();
  const auto add = [&](double x) { *at++ = static_cast<float>(x); };
  const auto add_place = [&](const Vec3& place) {
    for (int k = 0; k < 3; ++k) add((place[k] - kCenter[k]) * kPlaces);
  };
  const auto add_yaw = [&](const Quat& rotation) {
    const double yaw = yaw_of(rotation);
    add(std::cos(yaw));
    add(std::sin(yaw));
  };
  for (int k = 0; k < ArmIk::kJoints; ++k) add(s.qpos()[k]);
  for (int k = 0; k < ArmIk::kJoints; ++k) add(s.qvel()[k]);
  const Pose hand = s.hand();
  add_place(hand.position);
  add_yaw(hand.rotation);
  add(s.gripper_opening() * kGripper);
  add(s.gripper_contact());
  for (int i = 0; i < world_.cubes; ++i) {
    const Pose cube = s.cube(i);
    add_place(cube.position);
    for (const double q : cube.rotation) add(q);
    add_yaw(cube.rotation);
  }
  for (int i = 0; i < world_.buttons(); ++i) {
    add(buttons_[i] == 0);
    add(buttons_[i] == 1);
    add(s.button(i) * kButtons);
    add(s.button_velocity(i));
  }
  if (world_.furniture) {
    add(s.slide(Slide::kDrawer) * kDrawer);
    add(s.slide_velocity(Slide::kDrawer));
    add(s.slide(Slide::kWindow) * kWindow);
    add(s.slide_velocity(Slide::kWindow));
  }
  ALPS_CHECK(at == out.end());
}

std::vector<double> ArmEnv::state() const {
  std::vector<double> state = {double(steps_), double(playing_), goal_drawer_, goal_window_};
  state.insert(state.end(), goal_buttons_.begin(), goal_buttons_.end());
  state.insert(state.end(), buttons_.begin(), buttons_.end());
  const std::vector<double> physics = sim().state();
  state.insert(state.end(), physics.begin(), physics.end());
  return state;
}

void ArmEnv::set_state(std::span<const double> state) {
  const size_t buttons = buttons_.size(), size = 4 + 2 * buttons + sim().state_size();
  if (state.size() != size)
    throw Error("a state of ", spec_.name, " has ", size, " numbers, this one ", state.size(),
                "; take it from state()");
  steps_ = static_cast<int>(state[0]);
  playing_ = state[1] != 0;
  goal_drawer_ = state[2];
  goal_window_ = state[3];
  std::copy_n(state.begin() + 4, buttons, goal_buttons_.begin());
  std::copy_n(state.begin() + 4 + buttons, buttons, buttons_.begin());
  if (world_.furniture) sim().lock(buttons_[0] == 0, buttons_[1] == 0);
  sim().set_state(state.subspan(4 + 2 * buttons));
  observe(observation_);
}

const ModelPtr& ArmEnv::scene() const {
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->scene) shared_->scene = load_arm_scene(world_);
  return shared_->scene;
}

}  // namespace alps

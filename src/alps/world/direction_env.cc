#include "alps/world/direction_env.h"

#include <algorithm>
#include <cmath>

#include "alps/world/catalog.h"
#include "alps/world/maze_world.h"

namespace alps {
namespace {

// posture starts with the height and the quaternion
constexpr size_t kQuaternion = 1;
constexpr double kLowest = 0.2, kHighest = 1.0;  // heights of a healthy ant

class PlaneEnv : public DirectionEnv {
 public:
  PlaneEnv(const Body& body, int interval)
      : body_(body), interval_(interval), model_(load_plane_model(std::string(body.name))), data_(make_data(model_)) {
    action_size_ = model_->nu;
    seen_.resize(body.observation_size);
  }

  void reset(Rng rng) override {
    rng_ = rng;
    steps_ = back_steps_ = 0;
    mj_resetData(model_.get(), data_.get());
    body_.reset(*model_, *data_, rng_);
    direction_ = random_direction(rng_);
    look();
  }

  Step step(std::span<const double> action) override {
    const Point2 before = position();
    body_.command(*model_, *data_, action);
    body_.advance(*model_, *data_);
    const Point2 moved = position() - before;
    const double reward = moved.x * direction_.x + moved.y * direction_.y, height = data_->qpos[2];
    if (++steps_ % interval_ == 0) direction_ = random_direction(rng_);
    look();
    return judge(reward, !(height >= kLowest && height <= kHighest));
  }

  Point2 position() const override { return {data_->qpos[0], data_->qpos[1]}; }

 private:
  void look() {
    body_.observe(*model_, *data_, seen_);
    observe(std::span(seen_).subspan(2), direction_);
  }

  const Body& body_;
  int interval_;
  ModelPtr model_;
  DataPtr data_;
  Rng rng_;
  Point2 direction_;
  std::vector<double> seen_;
};

class MazeDirectionEnv : public DirectionEnv {
 public:
  explicit MazeDirectionEnv(const std::string& name)
      : env_(make_env(name, {.terminate_at_goal = false, .max_episode_steps = kMaxSteps})),
        world_(maze_world(*env_, "experts that learn between walls")) {
    action_size_ = env_->spec().action_size;
  }

  void reset(Rng rng) override {
    rng_ = rng;
    steps_ = back_steps_ = 0;
    const Point2 start = near_one_of(world_.maze.free_cells());
    world_.placement.reset(start, near_one_of(world_.maze.vertex_cells()), rng_.fork(0));
    look();
  }

  Step step(std::span<const double> action) override {
    const Point2 before = position(), direction = direction_;
    const bool reached = env_->step(action).success;
    const Point2 moved = position() - before;
    if (reached) world_.placement.set_goal(near_one_of(world_.maze.vertex_cells()));
    ++steps_;
    look();
    return judge(moved.x * direction.x + moved.y * direction.y, false);
  }

  Point2 position() const override { return world_.plane.position(); }

 private:
  Point2 near_one_of(const std::vector<Cell>& cells) {
    return world_.maze.with_noise(world_.maze.center(rng_.pick<Cell>(cells)), rng_);
  }

  void look() {
    direction_ = world_.maze.oracle_direction(position(), world_.plane.goal());
    const std::span<const float> seen = env_->observation().floats();
    observe(std::vector<double>(seen.begin() + 2, seen.end()), direction_);
  }

  std::unique_ptr<Env> env_;
  MazeWorld world_;  // of env_
  Rng rng_;
  Point2 direction_;
};

}  // namespace

void DirectionEnv::observe(std::span<const double> posture, Point2 direction) {
  observation_.assign(posture.begin(), posture.end());
  observation_.push_back(direction.x);
  observation_.push_back(direction.y);
}

DirectionEnv::Step DirectionEnv::judge(double reward, bool terminated) {
  const bool back = uprightness(std::span(observation_).subspan(kQuaternion, 4)) < 0;
  back_steps_ = back ? back_steps_ + 1 : 0;
  return {reward, terminated, steps_ >= kMaxSteps || back_steps_ >= kMaxBackSteps};
}

std::unique_ptr<DirectionEnv> make_plane_env(const Body& body, int interval) {
  return std::make_unique<PlaneEnv>(body, interval);
}

std::unique_ptr<DirectionEnv> make_maze_direction_env(const std::string& maze_env) {
  return std::make_unique<MazeDirectionEnv>(maze_env);
}

Point2 random_direction(Rng& rng) {
  const double x = rng.normal(), y = rng.normal(), length = std::hypot(x, y);
  return {x / length, y / length};
}

double uprightness(std::span<const double> quaternion) {
  return 1 - 2 * (quaternion[1] * quaternion[1] + quaternion[2] * quaternion[2]);
}

}  // namespace alps

#include "alps/world/maze_env.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"

namespace alps {

MazeEnv::MazeEnv(std::string name, const Body& body, const Maze& maze, int max_episode_steps, EnvOptions options)
    : options_(options),
      body_(body),
      maze_(maze),
      sims_(std::string(body.name), maze, body.near_walls_only),
      seen_(body.observation_size),
      observation_(body.observation_size),
      goal_observation_(body.observation_size) {
  spec_ = {.name = std::move(name),
           .observation_shape = {static_cast<size_t>(body.observation_size)},
           .action_size = static_cast<int>(sims_.model().nu),
           .max_episode_steps = max_episode_steps,
           .num_tasks = static_cast<int>(maze.tasks.size())};
  for (const auto& [start, goal] : maze.tasks) tasks_.push_back({maze.center(start), maze.center(goal)});
}

MazeEnv::MazeEnv(const MazeEnv& other)
    : spec_(other.spec_),
      tasks_(other.tasks_),
      options_(other.options_),
      body_(other.body_),
      maze_(other.maze_),
      sims_(other.sims_),
      seen_(other.seen_.size()),
      observation_(other.observation_.size()),
      goal_observation_(other.goal_observation_.size()) {}

std::unique_ptr<Env> MazeEnv::clone() const { return std::unique_ptr<Env>(new MazeEnv(*this)); }

void MazeEnv::reset(int task, Rng rng) {
  if (task < 1 || task > spec_.num_tasks)
    throw UsageError("task ", task, " of ", spec_.name, " does not exist; tasks are 1 to ", spec_.num_tasks);
  const Point2 start = maze_.with_noise(tasks_[task - 1].start, rng);
  const Point2 goal = maze_.with_noise(tasks_[task - 1].goal, rng);
  reset(start, goal, rng);
}

void MazeEnv::reset(Point2 start, Point2 goal, Rng rng) {
  rng_ = rng;
  goal_ = goal;

  // the goal's observation: a posture some random actions after a reset, moved to the goal
  start_body();
  std::vector<double> action(spec_.action_size);
  for (int step = 0; step < body_.settle_steps; ++step) {
    for (double& a : action) a = rng_.uniform(-1, 1);
    step_body(action);
  }
  place(goal);
  observe(goal_observation_);
  goal_qpos_.assign(qpos().begin(), qpos().end());

  // the reset itself
  start_body();
  place(start);
  observe(observation_);
  steps_ = 0;
}

StepResult MazeEnv::step(std::span<const double> action) {
  ALPS_CHECK(action.size() == static_cast<size_t>(spec_.action_size));
  if (!std::all_of(action.begin(), action.end(), [](double a) { return std::isfinite(a); }))
    throw Error("action of ", spec_.name, " at step ", steps_, " is not finite; check the policy that made it");
  step_body(action);
  ++steps_;

  // observation and success belong to the place before a teleport, as in the package
  observe(observation_);
  StepResult result;
  result.success = distance(position(), goal_) <= body_.goal_tolerance;
  teleport_if_close();
  result.terminated = result.success && options_.terminate_at_goal;
  const int limit = options_.max_episode_steps > 0 ? options_.max_episode_steps : spec_.max_episode_steps;
  result.truncated = steps_ >= limit;
  return result;
}

void MazeEnv::teleport_if_close() {
  for (const Cell entry : maze_.teleport_in) {
    if (distance(position(), maze_.center(entry)) > 1.5 * Maze::kTeleportRadius) continue;
    size_t exit = 0;
    if (forced_exits_.empty()) {
      exit = rng_.below(maze_.teleport_out.size());
    } else {
      exit = forced_exits_.front();
      forced_exits_.pop_front();
      ALPS_CHECK(exit < maze_.teleport_out.size());
    }
    place(maze_.center(maze_.teleport_out[exit]));
    return;
  }
}

void MazeEnv::start_body() {
  mj_resetData(&sims_.model(), &sims_.data());
  body_.reset(sims_.model(), sims_.data(), rng_);
}

void MazeEnv::step_body(std::span<const double> action) {
  sims_.follow();
  body_.command(sims_.model(), sims_.data(), action);
  const bool coasts = body_.coast != nullptr && maze_.clear(position(), body_.reach);
  (coasts ? body_.coast : body_.advance)(sims_.model(), sims_.data());
}

void MazeEnv::observe(std::vector<float>& out) {
  body_.observe(sims_.model(), sims_.data(), seen_);
  std::ranges::transform(seen_, out.begin(), [](double x) { return static_cast<float>(x); });
}

void MazeEnv::place(Point2 p) {
  sims_.data().qpos[0] = p.x;
  sims_.data().qpos[1] = p.y;
  sims_.follow();
  mj_forward(&sims_.model(), &sims_.data());
}

std::vector<double> MazeEnv::state() const {
  std::vector<double> state(3 + mj_stateSize(&sims_.model(), mjSTATE_INTEGRATION));
  state[0] = steps_;
  state[1] = goal_.x;
  state[2] = goal_.y;
  mj_getState(&sims_.model(), &sims_.data(), state.data() + 3, mjSTATE_INTEGRATION);
  return state;
}

void MazeEnv::set_state(std::span<const double> state) {
  const size_t size = 3 + mj_stateSize(&sims_.model(), mjSTATE_INTEGRATION);
  if (state.size() != size)
    throw Error("a state of ", spec_.name, " has ", size, " numbers, this one ", state.size(),
                "; take it from state()");
  steps_ = static_cast<int>(state[0]);
  goal_ = {state[1], state[2]};
  mj_setState(&sims_.model(), &sims_.data(), state.data() + 3, mjSTATE_INTEGRATION);

  sims_.follow();

  // derived quantities, without the change of the warm start that they bring along
  mj_forward(&sims_.model(), &sims_.data());
  mj_setState(&sims_.model(), &sims_.data(), state.data() + 3, mjSTATE_INTEGRATION);
  observe(observation_);
}

SceneCamera MazeEnv::camera() const {
  const double height = maze_.height(), width = maze_.width();
  return {.look_at = {2.0 * (width - 3), 2.0 * (height - 3), 0},
          .distance = 5.0 * (height - 2),
          .elevation = -90,
          .aspect = (height - 2) / (width - 2)};
}

}  // namespace alps

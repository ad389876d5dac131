// OGBench's locomotion mazes: a body (point, ant, humanoid) in a maze, with teleports in one of them. Observations,
// success, termination and truncation equal the package's at every step.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "alps/world/body.h"
#include "alps/world/env.h"
#include "alps/world/maze_sims.h"

namespace alps {

class MazeEnv : public Env {
 public:
  MazeEnv(std::string name, const Body& body, const Maze& maze, int max_episode_steps, EnvOptions options);

  std::unique_ptr<Env> clone() const override;
  const EnvSpec& spec() const override { return spec_; }
  Floorplan floorplan() const override { return maze_.floorplan(); }
  const Maze* maze() const override { return &maze_; }

  void reset(int task, Rng rng) override;
  void reset(Point2 start, Point2 goal, Rng rng) override;
  StepResult step(std::span<const double> action) override;

  std::span<const double> observation() const override { return observation_; }
  std::span<const double> goal_observation() const override { return goal_observation_; }
  std::span<const double> qpos() const override { return {sims_.data().qpos, static_cast<size_t>(spec_.qpos_size)}; }
  std::span<const double> qvel() const override { return {sims_.data().qvel, static_cast<size_t>(spec_.qvel_size)}; }
  Point2 position() const override { return {sims_.data().qpos[0], sims_.data().qpos[1]}; }
  Point2 goal() const override { return goal_; }
  void set_goal(Point2 goal) override { goal_ = goal; }

  std::vector<double> state() const override;  // (steps, goal x, goal y, MuJoCo's integration state)
  void set_state(std::span<const double> state) override;
  std::vector<BodyPart> body_parts() const override;

  // for pictures: the whole maze, and the posture of the goal's observation
  const ModelPtr& model() const { return sims_.all_walls(); }
  std::span<const double> goal_qpos() const { return goal_qpos_; }

  // the next teleports lead to these exits (0, 1, ...) in turn; when used up, exits are random again
  void force_exits(std::deque<int> exits) { forced_exits_ = std::move(exits); }

 private:
  MazeEnv(const MazeEnv& other);
  void start_body();  // mj_resetData and a fresh posture
  void step_body(std::span<const double> action);
  void place(Point2 p);  // moves the body, posture kept
  void teleport_if_close();

  EnvSpec spec_;
  EnvOptions options_;
  const Body& body_;
  const Maze& maze_;
  MazeSims sims_;
  Rng rng_;
  Point2 goal_;
  int steps_ = 0;
  std::deque<int> forced_exits_;
  std::vector<double> observation_, goal_observation_, goal_qpos_;
};

}  // namespace alps

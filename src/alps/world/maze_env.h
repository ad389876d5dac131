// OGBench's locomotion mazes: a body (point, ant, humanoid) in a maze, with teleports in one of them. Observations,
// success, termination and truncation equal the package's at every step; it gives them in double, an Env in float32.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "alps/world/body.h"
#include "alps/world/body_view.h"
#include "alps/world/env.h"
#include "alps/world/maze_sims.h"
#include "alps/world/physics_view.h"
#include "alps/world/planar_view.h"

namespace alps {

class MazeEnv : public Env, public PlanarView, public PlacementView, public PhysicsView, public BodyView {
 public:
  MazeEnv(std::string name, const Body& body, const Maze& maze, int max_episode_steps, EnvOptions options);

  std::unique_ptr<Env> clone() const override;
  const EnvSpec& spec() const override { return spec_; }
  void reset(int task, Rng rng) override;
  StepResult step(std::span<const double> action) override;
  Observation observation() const override { return observation_; }
  Observation goal_observation() const override { return goal_observation_; }
  std::vector<double> state() const override;  // (steps, goal x, goal y, MuJoCo's integration state)
  void set_state(std::span<const double> state) override;
  const PlanarView* planar() const override { return this; }
  PlacementView* placement() override { return this; }
  const PhysicsView* physics() const override { return this; }
  const BodyView* body() const override { return this; }

  // the plane
  Floorplan floorplan() const override { return maze_.floorplan(); }
  Point2 position() const override { return {sims_.data().qpos[0], sims_.data().qpos[1]}; }
  Point2 goal() const override { return goal_; }
  double goal_tolerance() const override { return body_.goal_tolerance; }
  std::span<const PlanarTask> tasks() const override { return tasks_; }
  const Maze* maze() const override { return &maze_; }
  void reset(Point2 start, Point2 goal, Rng rng) override;
  void set_goal(Point2 goal) override { goal_ = goal; }

  // MuJoCo
  std::span<const double> qpos() const override { return {sims_.data().qpos, static_cast<size_t>(sims_.model().nq)}; }
  std::span<const double> qvel() const override { return {sims_.data().qvel, static_cast<size_t>(sims_.model().nv)}; }
  const ModelPtr& scene() const override { return sims_.all_walls(); }
  SceneCamera camera() const override;  // OGBench's: above the middle, as high as it takes to see all free cells
  std::span<const double> goal_qpos() const override { return goal_qpos_; }

  // the next teleports lead to these exits (0, 1, ...) in turn; when used up, exits are random again
  void force_exits(std::deque<int> exits) { forced_exits_ = std::move(exits); }

 protected:
  MazeEnv(const MazeEnv& other);  // for clones

 private:
  void start_body();  // mj_resetData and a fresh posture
  void step_body(std::span<const double> action);
  void place(Point2 p);  // moves the body, posture kept
  void teleport_if_close();
  void observe(std::vector<float>& out);

  EnvSpec spec_;
  std::vector<PlanarTask> tasks_;
  EnvOptions options_;
  const Body& body_;
  const Maze& maze_;
  MazeSims sims_;
  Rng rng_;
  Point2 goal_;
  int steps_ = 0;
  std::deque<int> forced_exits_;
  std::vector<double> seen_;  // an observation before it is rounded to float32
  std::vector<float> observation_, goal_observation_;
  std::vector<double> goal_qpos_;
};

}  // namespace alps

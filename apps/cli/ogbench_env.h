// An environment of the real OGBench package, stepped by a Python process of its own (python/alps/ogbench_server.py),
// so that the planner, which stays in this process, is judged by environments we did not write. Every clone starts a
// process when it is first reset; they speak over a socket (guest/channel.h): JSON, doubles or an error.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "alps/world/env.h"
#include "alps/world/physics_view.h"
#include "alps/world/planar_view.h"
#include "guest/channel.h"

namespace alps::cli {

class OgbenchEnv : public Env, public PlanarView, public PhysicsView {
 public:
  // The environment that OGBench has for a data set's name, and ours of the same name, which knows its size and walls.
  // Throws UsageError where there is none, or neither maze nor arm.
  OgbenchEnv(std::string data_name, const std::string& env_name);
  ~OgbenchEnv() override;

  std::unique_ptr<Env> clone() const override;
  const EnvSpec& spec() const override { return native_->spec(); }
  void reset(int task, Rng rng) override;
  StepResult step(std::span<const double> action) override;
  Observation observation() const override { return observation_; }
  Observation goal_observation() const override { return goal_observation_; }
  std::vector<double> state() const override;  // as the native environment's
  void set_state(std::span<const double> state) override;
  const PlanarView* planar() const override { return native_->planar() != nullptr ? this : nullptr; }
  const PhysicsView* physics() const override { return this; }

  // of a maze: the plan and the tasks are ours, the places the package's
  Floorplan floorplan() const override { return native_->planar()->floorplan(); }
  Point2 position() const override { return position_; }
  Point2 goal() const override { return goal_; }
  double goal_tolerance() const override { return native_->planar()->goal_tolerance(); }
  std::span<const PlanarTask> tasks() const override { return native_->planar()->tasks(); }
  const Maze* maze() const override { return native_->planar()->maze(); }
  std::span<const double> qpos() const override { return qpos_; }
  std::span<const double> qvel() const override { return qvel_; }

 private:
  enum Request { kReset = 0, kStep = 1, kState = 2, kSetState = 3 };
  void start();
  // asks the process, which answers with as many numbers
  std::vector<double> ask(Request request, std::span<const double> numbers, size_t answer) const;
  void send(std::span<const double> numbers) const;
  std::string receive(char kind) const;
  std::vector<double> receive_numbers(size_t count) const;
  // observation, qpos, qvel and, in a maze, position, which every answer but kState's has from `at` on; returns what
  // comes next
  const double* take_moment(const double* at);
  size_t moment_size() const;
  size_t place_size() const { return planar() != nullptr ? 2 : 0; }
  [[noreturn]] void lost() const;

  std::string data_name_;
  std::shared_ptr<const Env> native_;
  pid_t process_ = -1;
  guest::Channel channel_;
  std::vector<float> observation_, goal_observation_;
  std::vector<double> qpos_, qvel_;
  size_t state_size_ = 0;  // told by the process
  Point2 position_, goal_;
};

}  // namespace alps::cli

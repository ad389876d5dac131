// An environment of the real OGBench package, stepped by a Python process of its own (python/alps/ogbench_server.py),
// so that the planner, which stays in this process, is judged by environments we did not write. Every clone starts a
// process when it is first reset; they speak over a socket: one byte (what it is), four bytes (its length), then JSON,
// doubles or an error.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "alps/world/env.h"

namespace alps::cli {

class OgbenchEnv : public Env {
 public:
  // the environment that OGBench has for a data set's name, and ours of the same name, which knows its size and walls
  OgbenchEnv(std::string data_name, const std::string& env_name);
  ~OgbenchEnv() override;

  std::unique_ptr<Env> clone() const override;
  const EnvSpec& spec() const override { return native_->spec(); }
  Floorplan floorplan() const override { return native_->floorplan(); }
  const Maze* maze() const override { return native_->maze(); }

  void reset(int task, Rng rng) override;
  StepResult step(std::span<const double> action) override;

  std::span<const double> observation() const override { return observation_; }
  std::span<const double> goal_observation() const override { return goal_observation_; }
  std::span<const double> qpos() const override { return qpos_; }
  std::span<const double> qvel() const override { return qvel_; }
  Point2 position() const override { return position_; }
  Point2 goal() const override { return goal_; }

  // OGBench's environments are only asked what its evaluation asks them
  void reset(Point2 start, Point2 goal, Rng rng) override;
  void set_goal(Point2 goal) override;
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

 private:
  void start();
  void send(std::span<const double> numbers);
  std::string receive(char kind);
  std::vector<double> receive_numbers(size_t count);
  [[noreturn]] void lost() const;

  std::string data_name_;
  std::shared_ptr<const Env> native_;
  pid_t process_ = -1;
  int socket_ = -1;
  std::vector<double> observation_, goal_observation_, qpos_, qvel_;
  Point2 position_, goal_;
};

}  // namespace alps::cli

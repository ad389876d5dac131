// OGBench's manipulation worlds (arm_world.h): a UR5e arm with a gripper before cubes, buttons, a drawer and a window.
// An action moves the hand relative to where it is (x, y, z, yaw, gripper), each number in [-1, 1]; inverse kinematics
// turns it into joint targets, which the arm's position control follows for 25 physics steps of 0.002 s. Success is a
// matter of the objects alone. Observations, coordinates, button states and success equal the package's step by step.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "alps/world/arm_sim.h"
#include "alps/world/arm_view.h"
#include "alps/world/body_view.h"
#include "alps/world/env.h"
#include "alps/world/physics_view.h"

namespace alps {

class ArmEnv : public Env, public PhysicsView, public BodyView, public ArmView, public PlayView {
 public:
  ArmEnv(std::string name, const ArmWorld& world, EnvOptions options);

  std::unique_ptr<Env> clone() const override;
  const EnvSpec& spec() const override { return spec_; }
  void reset(int task, Rng rng) override;
  StepResult step(std::span<const double> action) override;
  Observation observation() const override { return observation_; }
  Observation goal_observation() const override { return goal_observation_; }
  // (steps, whether it plays, the goal's drawer and window, its buttons, the buttons now, ArmSim's state, in which the
  // goal's cubes are)
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;
  const PhysicsView* physics() const override { return this; }
  const BodyView* body() const override { return this; }
  const ArmView* arm() const override { return this; }
  PlayView* play() override { return this; }

  std::span<const double> qpos() const override { return sim().qpos(); }
  std::span<const double> qvel() const override { return sim().qvel(); }

  const ModelPtr& scene() const override;
  SceneCamera camera() const override { return {{0.3, 0, 0.15}, 1.05, 180, world_.cubes > 0 ? -20.0 : -39.0, 0.75}; }
  std::span<const double> goal_qpos() const override { return goal_qpos_; }

  const ArmWorld& world() const override { return world_; }
  void start_play(Rng rng) override;
  Pose hand() const override { return sim().hand(); }
  double gripper_opening() const override { return sim().gripper_opening(); }
  double gripper_contact() const override { return sim().gripper_contact(); }
  Pose cube(int i) const override { return sim().cube(i); }
  std::span<const int> button_states() const override { return buttons_; }
  Vec3 button_top(int i) const override { return sim().button_top(i); }
  double slide(Slide which) const override { return sim().slide(which); }
  Pose handle(Slide which) const override { return sim().handle(which); }
  Vec3 handle_at(Slide which, double slide) const override { return sim().handle_at(which, slide); }

 private:
  // what all clones share, loaded when first needed
  struct Shared {
    std::mutex mutex;
    std::unique_ptr<const ArmSim> sim;
    ModelPtr scene;
  };
  ArmEnv(const ArmEnv& other);
  ArmSim& sim() const;

  void act(std::span<const double> action);  // an action, and what follows from it
  void follow_up(
      std::span<const double> before);  // buttons, locks, cubes that flew away; `before`: the buttons' joints
  void finish_reset();
  void lock_and_forward();  // drawer and window as the buttons say
  void put_cube_near(int i, const Vec3& place, double room);
  void throw_cube(int i);  // to a random place on the table
  std::vector<double> button_joints() const;
  bool success() const;
  void observe(std::vector<float>& out) const;

  EnvSpec spec_;
  const ArmWorld& world_;
  EnvOptions options_;
  std::shared_ptr<Shared> shared_;
  mutable std::unique_ptr<ArmSim> sim_;
  Rng rng_;
  int steps_ = 0;
  bool playing_ = false;
  std::vector<int> buttons_, goal_buttons_;
  double goal_drawer_ = 0, goal_window_ = 0;
  std::vector<float> observation_, goal_observation_;
  std::vector<double> goal_qpos_;
};

}  // namespace alps

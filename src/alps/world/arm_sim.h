// The simulation behind a manipulation world: MuJoCo's state, where arm and objects are in it, and the control of the
// hand. It knows nothing of tasks. One object is one simulation for one thread; copies share models and addresses.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "alps/world/arm_ik.h"
#include "alps/world/arm_model.h"
#include "alps/world/arm_view.h"

namespace alps {

class ArmSim {
 public:
  explicit ArmSim(const ArmWorld& world);
  ArmSim(const ArmSim& other);  // another state of the same models, to be reset before use

  const mjModel& model() const { return *parts_->models.physics[locks_]; }
  mjData& data() { return *data_; }
  const mjData& data() const { return *data_; }
  std::span<const double> qpos() const { return {data_->qpos, static_cast<size_t>(model().nq)}; }
  std::span<const double> qvel() const { return {data_->qvel, static_cast<size_t>(model().nv)}; }

  void start();             // MuJoCo's initial state, the arm at home
  void pose_arm(Rng& rng);  // the hand to a random place in the world's box, pointing down
  void command(std::span<const double> action);
  void advance();  // one action's worth of physics
  void forward() { mj_forward(&model(), data_.get()); }
  void lock(bool drawer, bool window) { locks_ = (drawer ? 1 : 0) | (window ? 2 : 0); }

  Pose hand() const;
  double gripper_opening() const;
  double gripper_contact() const;
  Pose cube(int i) const;
  void put_cube(int i, const Vec3& place, const Quat& rotation);
  void rest_cube(int i);  // takes its velocity
  Vec3 goal_cube(int i) const;
  void put_goal_cube(int i, const Vec3& place);
  double button(int i) const { return data_->qpos[parts_->buttons[i].qpos]; }
  double button_velocity(int i) const { return data_->qvel[parts_->buttons[i].dof]; }
  Vec3 button_top(int i) const;
  double slide(Slide which) const { return data_->qpos[part(which).joint.qpos]; }
  double slide_velocity(Slide which) const { return data_->qvel[part(which).joint.dof]; }
  void put_slide(Slide which, double at) { data_->qpos[part(which).joint.qpos] = at; }
  Pose handle(Slide which) const;
  Vec3 handle_at(Slide which, double slide) const;

  // MuJoCo's integration state, and what it leaves out although the next action depends on it: the hand and the pad's
  // force as the last physics step saw them
  std::vector<double> state() const;
  size_t state_size() const;
  void set_state(std::span<const double> state);

 private:
  struct Joint {
    int qpos = -1, dof = -1;
  };
  struct SlideParts {
    Joint joint;
    int handle = -1;       // site
    int goal_handle = -1;  // site of the body that stands where the handle is when shut
    int axis = 0;          // of that body, along which the slide moves it
  };
  struct Parts {
    ArmModels models;
    int pinch, pad;
    Joint driver;
    std::vector<Joint> cubes, buttons;
    std::vector<int> goal_cubes, button_tops;  // mocap bodies, sites
    std::array<SlideParts, 2> slides;
    Pose pinch_to_flange;
  };
  static std::shared_ptr<const Parts> load(const ArmWorld& world);
  const SlideParts& part(Slide which) const { return parts_->slides[which == Slide::kDrawer ? 0 : 1]; }

  const ArmWorld& world_;
  std::shared_ptr<const Parts> parts_;
  DataPtr data_;
  ArmIk ik_;
  int locks_ = 0;
};

}  // namespace alps

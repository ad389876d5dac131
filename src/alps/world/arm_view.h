// A world of arm and objects as those see it who script the arm (collect/): where hand and objects are. ArmView only
// looks; PlayView also starts scenes drawn at random that belong to no task.
#pragma once

#include <span>

#include "alps/base/rng.h"
#include "alps/world/arm_world.h"
#include "alps/world/pose.h"

namespace alps {

enum class Slide { kDrawer, kWindow };

class ArmView {
 public:
  virtual const ArmWorld& world() const = 0;
  virtual Pose hand() const = 0;               // between the fingers' pads
  virtual double gripper_opening() const = 0;  // 0 open .. 1 shut
  virtual double gripper_contact() const = 0;  // 0 .. 1, of the right pad
  virtual Pose cube(int i) const = 0;
  virtual std::span<const int> button_states() const = 0;
  virtual Vec3 button_top(int i) const = 0;
  virtual double slide(Slide which) const = 0;  // 0 shut; the drawer opens to -0.16, the window to 0.2
  virtual Pose handle(Slide which) const = 0;
  virtual Vec3 handle_at(Slide which, double slide) const = 0;  // where the handle is when its slide is there

 protected:
  ~ArmView() = default;
};

class PlayView {
 public:
  // as OGBench starts the episodes of its data; nothing succeeds in such a scene
  virtual void start_play(Rng rng) = 0;

 protected:
  ~PlayView() = default;
};

}  // namespace alps

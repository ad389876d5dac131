// Where the humanoid's teacher learns: on an endless plane, commanded to walk along a direction that changes now and
// then. The teacher sees what OGBench's humanoid sees, without the place, but with velocities and direction turned into
// the body's heading, which OGBench's observation does not tell; and it acts by targets of the joints (joint_servo.h).
//   reward of a step = 0.1 (up (exp(-|v - v*|^2 / w) - c exp(-|v*|^2 / w) + v along / 2 + 0.15 c (1 + cos(direction))
//                           + 2.5 c stride) + (1 - c + c p) (0.2 up + 0.4 high) - 0.5 (1 - c) apart
//                           - effort - posture)
// where v is the velocity of the centre of mass, v* the commanded one, c its speed up to 1, w = (1 + |v*|^2) / 4, and
// p = v along / |v*|, from 0 to 1, and 1 for a body on the floor: standing where walking is asked for earns next to
// nothing, or the body finds a wide stance that never falls and stays there. `up` grows from 0 to 1 as head and torso
// rise to standing, `stride` is how long it has stood on one foot, up to 0.4 s, times how far the other has swung
// ahead, where the feet take turns at it (or the body hops along with always the same foot ahead), and `high` is the
// head's height, so that a body on the floor is shown the way up. `apart` is how far one foot is before the other,
// from 0.1 to 0.4 m: who is to stand stands with the feet side by side.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/world/body.h"
#include "alps/world/joint_servo.h"
#include "alps/world/mirror.h"
#include "alps/world/sim.h"

namespace alps {

struct HeadingTask {
  double speed = 1.3;       // commanded, metres a second
  double drops = 0.0;       // share of the episodes that begin as OGBench's do: dropped in a random posture
  bool falls_end = true;    // a fall ends the episode; otherwise the body may get up again
  int longest = 600;        // steps of an episode
  double spread = 3.2;      // a new direction is this far from the heading at most, in radians
  int shortest_way = 100;   // steps between two directions, at least
  int longest_way = 200;    // and at most
  double push = 0;          // metres a second, at most: with every new direction somebody gives the body a push
  double torque_noise = 0;  // deviation of noise on the torques, as data making adds it
};

class HeadingEnv {
 public:
  explicit HeadingEnv(ModelPtr model);

  struct Step {
    double reward = 0;
    double along = 0;         // velocity of the centre of mass along the direction
    bool fell = false;        // was up before this step and is down now
    bool rose = false;        // up for the first time after a drop
    bool terminated = false;  // nothing follows
    bool cut = false;         // the episode's length is reached
    bool done() const { return terminated || cut; }
  };

  // Everything random comes from `rng`, so that an environment is its state().
  void reset(const HeadingTask& task, Rng& rng);
  Step step(const HeadingTask& task, std::span<const float> targets, Rng& rng);

  std::span<const float> observation() const { return seen_by_teacher_; }  // (observation_size), in the heading's frame
  std::span<const float> student_observation() const { return seen_by_student_; }  // the same in the world's frame
  std::span<const double> torques() const { return torques_; }                     // of the last step, before noise
  size_t observation_size() const { return seen_by_teacher_.size(); }
  size_t action_size() const { return servo_.size(); }
  bool dropped() const { return dropped_; }  // this episode began with a drop
  bool is_up() const { return up_; }
  int age() const { return age_; }
  Point2 direction() const { return direction_; }
  void set_direction(Point2 direction);
  const mjModel& model() const { return *model_; }
  const mjData& data() const { return *data_; }
  const JointServo& servo() const { return servo_; }

  // left and right exchanged, in what the teacher sees and in its targets
  MirrorMap observation_mirror() const;
  MirrorMap action_mirror() const { return mirror_of_joints(*model_); }

  std::vector<double> state() const;
  void set_state(std::span<const double> state);

 private:
  void stand(Rng& rng);
  void command(const HeadingTask& task, Rng& rng);
  void push(double most, Rng& rng);
  double ahead(size_t foot, double heading) const;  // its place along the heading
  double stride(double heading);                    // and keeps the feet's times
  void look();

  const Body& body_ = humanoid_body();
  ModelPtr model_;
  DataPtr data_;
  JointServo servo_;
  double standing_height_;
  int age_ = 0, left_ = 0;                     // steps of the episode, and of the present direction
  std::array<int, 2> on_ground_{}, in_air_{};  // steps of each foot
  int last_ahead_ = -1;                        // the foot that last landed ahead of the other
  std::vector<int> idle_;                      // joints that walking needs little
  bool dropped_ = false, up_ = false, risen_ = false;
  Point2 direction_;
  std::vector<double> seen_, torques_, before_;
  std::vector<float> seen_by_teacher_, seen_by_student_;
};

// about the vertical axis, so that the body's left-hand side is at a right angle to it
double heading_of(std::span<const double> torso_axes);  // xmat, row by row

}  // namespace alps

// Where the humanoid's teachers learn: on an endless plane, commanded to walk along a direction that changes now and
// then. A teacher sees what OGBench's humanoid sees, without the place, but with velocities and direction turned into
// the body's heading, which OGBench's observation does not tell, and with the phase of its gait (gait.h); and it acts
// by targets of the joints (joint_servo.h). The reward of a step is a tenth of what lessons.h
// pays, less the effort: small torques and small changes of them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/world/body.h"
#include "alps/world/gait.h"
#include "alps/world/joint_servo.h"
#include "alps/world/lessons.h"
#include "alps/world/mirror.h"
#include "alps/world/sim.h"

namespace alps {

struct HeadingTask {
  double speed = 1.3;       // commanded, metres a second
  double drops = 0.0;       // share of the episodes that begin as OGBench's do: dropped in a random posture
  double half_way = 0.0;    // of the others, share that begin on the way from lying to standing
  double lowest = 0.0;      // from where on that way, 0 lying on its back, to 1 standing
  double strides = 0.7;     // of what is left, share that begin in the middle of a stride
  bool falls_end = true;    // a fall ends the episode; otherwise the body may get up again
  int longest = 600;        // steps of an episode
  int patience = 600;       // steps in a row that it may lie before the episode is cut
  int content = 600;        // steps in a row on its feet after which an episode that began lower is cut
  double spread = 3.2;      // a new direction is this far from the heading at most, in radians
  int shortest_way = 100;   // steps between two directions, at least
  int longest_way = 200;    // and at most
  double push = 0;          // metres a second, at most: with every new direction somebody gives the body a push
  double torque_noise = 0;  // deviation of noise on the torques, as data making adds it
};

class HeadingEnv {
 public:
  enum class Start { kUpright, kHalfWay, kDropped };

  explicit HeadingEnv(ModelPtr model);

  struct Step {
    double reward = 0;
    double along = 0;         // velocity of the centre of mass along the direction
    bool fell = false;        // was up before this step and is down now
    bool rose = false;        // was not up before, and stands now
    bool terminated = false;  // nothing follows
    bool cut = false;         // the episode's length is reached, or patience is over
    bool done() const { return terminated || cut; }
  };

  // Everything random comes from `rng`, so that an environment is its state().
  void reset(const HeadingTask& task, Rng& rng);
  Step step(const HeadingTask& task, std::span<const float> targets, Rng& rng);
  // what a teacher says -> targets: counted from the gait where it stands, from rest and further where it lies
  void lead(std::span<const float> said, std::span<float> targets) const;

  std::span<const float> observation() const { return seen_by_teacher_; }  // (observation_size), in the heading's frame
  std::span<const float> student_observation() const { return seen_by_student_; }  // the same in the world's frame
  std::span<const double> torques() const { return torques_; }                     // of the last step, before noise
  size_t observation_size() const { return seen_by_teacher_.size(); }
  size_t action_size() const { return servo_.size(); }
  Start start() const { return start_; }  // how this episode began
  bool is_up() const { return up_; }      // stood, and has not fallen since
  double phase() const { return phase_; }
  int age() const { return age_; }
  void set_age(int steps) { age_ = steps; }
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
  void command(const HeadingTask& task, Rng& rng);
  void push(double most, Rng& rng);
  double effort() const;
  double raised() const;
  void look();

  const Body& body_ = humanoid_body();
  ModelPtr model_;
  DataPtr data_;
  JointServo servo_;
  Gait gait_;
  int age_ = 0, left_ = 0, since_ = 0;  // steps of the episode, left of the present direction, since it rose or fell
  double phase_ = 0;
  Start start_ = Start::kUpright;
  bool up_ = false;
  Point2 direction_;
  std::vector<double> seen_, torques_, before_, change_, angles_;
  std::vector<float> seen_by_teacher_, seen_by_student_;
};

}  // namespace alps

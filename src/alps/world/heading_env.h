// Where the humanoid's teachers learn: on an endless plane, commanded to walk along a direction that changes now and
// then. There are two teachers and a script, and at every step one of them has the word:
//   kWalks  on its feet: the walker; its targets are counted from a gait (gait.h)
//   kRises  getting up: the riser; its targets are counted from a way that a planner found (get_ups.h), step by step
//   kLies   otherwise: the script, which holds one posture until the body lies still. Then it rises; so does who fell
//           from the way, or did not stand at its end.
// Teachers see what OGBench's humanoid sees, without the place, but with velocities and direction turned into the
// body's heading, which OGBench's observation does not tell, and with the phase of the gait or of the way; and they
// act by targets of the joints (joint_servo.h). The reward of a step is a tenth of what lessons.h pays, less the
// effort: small torques and small changes of them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/world/body.h"
#include "alps/world/gait.h"
#include "alps/world/get_ups.h"
#include "alps/world/joint_servo.h"
#include "alps/world/lessons.h"
#include "alps/world/mirror.h"
#include "alps/world/sim.h"

namespace alps {

struct HeadingTask {
  double speed = 1.3;        // commanded, metres a second
  double drops = 0.0;        // share of the episodes that begin as OGBench's do: dropped in a random posture
  double lying = 0.0;        // of the others, share that begin where drops came to lie
  double risen = 0.0;        // of those left, share that begin where the riser has just stood up
  double half_way = 0.0;     // of those left, share that begin somewhere on a way up
  double strides = 0.7;      // of what is left, share that begin in the middle of a stride
  bool falls_end = true;     // a fall ends the episode; otherwise the body may get up again
  bool rising_ends = false;  // so does standing up, for a bonus, and leaving the way, for nothing
  int longest = 600;         // steps of an episode
  int handed_over = 80;      // of one that begins where the riser stood up: what comes then is like any walk
  double spread = 3.2;       // a new direction is this far from the heading at most, in radians
  double about = 0.3;        // share of the new directions that are; the others are a quarter of a turn away at most
  int shortest_way = 100;    // steps between two directions, at least
  int longest_way = 200;     // and at most
  double push = 0;           // metres a second, at most: with every new direction somebody gives the body a push
  double torque_noise = 0;   // deviation of noise on the torques, as data making adds it
};

class HeadingEnv {
 public:
  enum class Start { kUpright, kRisen, kHalfWay, kLying, kDropped };
  enum class Mode { kLies, kRises, kWalks };

  // without `ways` nobody gets up, and lies at rest
  explicit HeadingEnv(ModelPtr model, std::shared_ptr<const GetUps> ways = {});

  struct Step {
    double reward = 0;
    double along = 0;         // velocity of the centre of mass along the direction
    bool fell = false;        // was up before this step and is down now
    bool rose = false;        // was not up before, and stands now
    bool terminated = false;  // nothing follows
    bool cut = false;         // the episode's length is reached
    bool done() const { return terminated || cut; }
  };

  // Everything random comes from `rng`, so that an environment is its state().
  void reset(const HeadingTask& task, Rng& rng);
  Step step(const HeadingTask& task, std::span<const float> targets, Rng& rng);
  // what the teacher that has the word says -> targets
  void lead(std::span<const float> said, std::span<float> targets) const;

  std::span<const float> observation() const { return seen_by_teacher_; }  // (observation_size), in the heading's frame
  std::span<const float> student_observation() const { return seen_by_student_; }  // the same in the world's frame
  std::span<const double> torques() const { return torques_; }                     // of the last step, before noise
  size_t observation_size() const { return seen_by_teacher_.size(); }
  size_t action_size() const { return servo_.size(); }
  Start start() const { return start_; }  // how this episode began
  Mode mode() const { return mode_; }
  bool is_up() const { return mode_ == Mode::kWalks; }  // stood, and has not fallen since
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
  const GetUp& way() const { return ways_->ways[way_]; }
  void rise_from(size_t way, int step);
  double near_way() const;
  Gait::Told told() const;
  void look();

  const Body& body_ = humanoid_body();
  ModelPtr model_;
  DataPtr data_;
  std::shared_ptr<const GetUps> ways_;
  JointServo servo_;
  Gait gait_;
  int age_ = 0, left_ = 0;  // steps of the episode, and left of the present direction
  size_t way_ = 0;
  int at_ = 0, stood_ = 0;  // step on the way, and steps in a row that it stood
  double phase_ = 0;
  Start start_ = Start::kUpright;
  Mode mode_ = Mode::kWalks;
  Point2 direction_;
  std::vector<double> seen_, torques_, before_, change_, angles_;
  std::vector<float> lying_;
  std::vector<float> seen_by_teacher_, seen_by_student_;
};

}  // namespace alps

// Walking along a commanded direction, where experts learn: on an endless plane as the package's online_locomotion
// (`online-ant-v0` in its direction wrapper), or between the walls of a maze, where the direction is the oracle's way
// to one random cell after the other. The reward of a step is its length along the direction.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/world/body.h"
#include "alps/world/sim.h"

namespace alps {

class DirectionEnv {
 public:
  virtual ~DirectionEnv() = default;

  // a new episode; everything it draws comes from `rng`
  virtual void reset(Rng rng) = 0;

  struct Step {
    double reward = 0.0;
    bool terminated = false;  // nothing can follow: there is no reward any more
    bool truncated = false;   // the episode's length is reached, or the body has lain on its back for a while
    bool done() const { return terminated || truncated; }
  };
  virtual Step step(std::span<const double> action) = 0;

  // posture and velocity without the place, then the direction
  std::span<const double> observation() const { return observation_; }
  virtual Point2 position() const = 0;
  bool on_back() const { return back_steps_ > 0; }
  int action_size() const { return action_size_; }

  static constexpr int kMaxSteps = 1000, kMaxBackSteps = 50;

 protected:
  void observe(std::span<const double> posture, Point2 direction);
  Step judge(double reward, bool terminated);

  int action_size_ = 0, steps_ = 0, back_steps_ = 0;
  std::vector<double> observation_;
};

// on the plane; a new random direction every `interval` steps
std::unique_ptr<DirectionEnv> make_plane_env(const Body& body, int interval);
// between walls, on the way to random cells
std::unique_ptr<DirectionEnv> make_maze_direction_env(const std::string& maze_env);

Point2 random_direction(Rng& rng);
// of the torso's up axis, from its quaternion (w, x, y, z): 1 upright, -1 on its back
double uprightness(std::span<const double> quaternion);

}  // namespace alps

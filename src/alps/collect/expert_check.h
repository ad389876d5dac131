// How well an expert walks: along random directions on the plane, and to random cells of a maze, with the noise that
// data making adds to its actions.
#pragma once

#include <string>

#include "alps/base/progress.h"
#include "alps/collect/expert_body.h"

namespace alps {

struct ExpertCheckOptions {
  int episodes = 100;
  double noise = 0.2;  // deviation of the Gaussian noise on the actions
  uint64_t seed = 0;
  int threads = 0;
};

struct ExpertFigures {
  std::string where;  // "plane", or the maze's environment
  int episodes = 0;
  int64_t total_steps = 0;
  int reached = 0;       // got to their goal within the episode's length (mazes)
  double steps = 0;      // mean, of those
  double speed = 0;      // along the commanded direction, a step
  double metres = 0;     // the same in a second
  int down = 0;          // lay on the ground at the end
  int ended = 0;         // left the heights of a healthy body (plane), which ends the episode
  int up_soon = 0;       // stood within 150 steps of the reset, and for 40 steps then
  int64_t falls = 0;     // from standing to lying
  int64_t up_again = 0;  // and back; falls less than 150 steps before the end do not count in either
  double falls_in_2000() const {
    return total_steps > 0 ? 2000.0 * static_cast<double>(falls) / static_cast<double>(total_steps) : 0;
  }
};

// a new direction every 100 steps; only for bodies that have a plane of their own
ExpertFigures check_on_plane(const ExpertBody& body, const Expert& expert, const ExpertCheckOptions& options,
                             const ProgressFn& progress = {});
// from a random free cell to the centre of a random vertex cell, within the body's longest episode
ExpertFigures check_in_maze(const ExpertBody& body, const Expert& expert, const std::string& env,
                            const ExpertCheckOptions& options, const ProgressFn& progress = {});

// Watches a body stand, fall and get up, step by step.
class FallWatch {
 public:
  void step(bool down);
  bool up_soon() const { return up_soon_; }
  bool down() const { return down_; }
  int falls() const;  // whose end was waited for
  int up_again() const { return up_again_; }

 private:
  static constexpr int kSoon = 150, kStands = 40;  // a body that is dropped is in the air for 20 steps
  int steps_ = 0, standing_ = 0, falls_ = 0, up_again_ = 0, fell_at_ = 0;
  bool down_ = true, up_soon_ = false, was_up_ = false;
};

}  // namespace alps

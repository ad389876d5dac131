// What a data set tells about itself, measured before anything is learned: how large actions are, how fast the state
// moves, whether actions move it directly, how noisy the behaviour was. Presets turn these numbers into settings
// (learn/method.h, run/profiles.h), so that the same data give the same run whatever their name is. Kept in
// RUN/config.json.
#pragma once

#include <string>
#include <vector>

#include "alps/base/action_range.h"
#include "alps/data/dataset.h"

namespace alps {

struct Survey {
  size_t rows = 0, episodes = 0, longest_episode = 0;  // the last in transitions
  size_t columns = 0, actions = 0;                     // numbers of an observation and of an action
  bool image = false;
  ActionRange range;  // of each action column
  // Root mean square change of one step over the deviation, of the slowest column (images: part of a coarse image).
  // About 0.02 where a world takes hundreds of steps to cross, 0.3 where it takes four.
  double pace = 0;
  // Share of the variance of one step's change that a linear function of the action explains, in the column where it
  // explains least; leaps left out. 1: actions are moves. 0: actions work through inertia, joints or contacts.
  double directness = 0;
  double at_limit = 0;  // share of the actions' numbers that lie at their column's limit: clipped noise
  size_t leaps = 0;     // steps over which a slow column moves as it otherwise never does (data/jumps.h)
  // Still stretches (data/stillness.h, share kStill) and how many of them end before their episode does. Fallen bodies
  // stay where they are; bodies at rest go on.
  size_t still = 0;
  double left_again = 1;
  std::string factors = "none";  // things that rest while others move: their columns (data/factors.h)
};

inline constexpr double kStill = 0.5;  // of what the state covers in the median stretch

// Largest magnitude of each action column; a column that lies mostly on one side of 0 has a middle of its own, and one
// that never changes a range that hardly leaves its value.
ActionRange action_range(const Dataset& data);
// Share of the actions' numbers at an end of their column's range: clipped noise. Switches from 0, columns that are
// always at one of two ends (one-hot actions are), do not count.
double share_at_limit(const Dataset& data, const ActionRange& range);

// Measures a data set whose observations are open. States are looked at in `data` itself; for images the caller hands
// in a sample, image_pairs (2n, height, width, channels), in which image 2i + 1 is the successor of image 2i.
Survey survey(const Dataset& data, const Array& image_pairs = {});

std::string survey_json(const Survey& survey);
Survey survey_from_json(const std::string& text, const std::string& where);

}  // namespace alps

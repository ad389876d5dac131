// Episodes and actions of a data set, looked at before training.
#include <algorithm>
#include <cmath>

#include "alps/base/progress.h"
#include "alps/data/check.h"
#include "alps/data/jumps.h"
#include "alps/data/survey.h"

namespace alps {
namespace {

constexpr size_t kFewRows = 10'000;   // below this, networks learn little
constexpr size_t kShortEpisode = 25;  // steps: as far as a prior looks ahead by default
constexpr size_t kLongEpisode = 20'000;
constexpr double kManyClipped = 0.3;  // share of an action's numbers at their limit
constexpr double kOutlier = 2;        // the limit against what 99.9 % of the actions stay within

// share of the episodes that begin within an ordinary step of where the one before ended
double joined_share(const Dataset& data) {
  const std::vector<ColumnMotion> motion = column_motion(data.observations, data.episodes);
  std::vector<float> one, two;
  size_t joined = 0;
  for (size_t i = 0; i + 1 < data.episodes.size(); ++i) {
    const auto end = data.observations.floats(data.episodes[i].last, one),
               start = data.observations.floats(data.episodes[i + 1].first, two);
    bool near = true;
    for (size_t k = 0; k < motion.size(); ++k) near = near && std::abs(end[k] - start[k]) <= motion[k].most;
    joined += near;
  }
  return static_cast<double>(joined) / static_cast<double>(std::max<size_t>(1, data.episodes.size() - 1));
}

Finding episode_lengths(const Dataset& data) {
  std::vector<size_t> steps;
  for (const Episode& e : data.episodes) steps.push_back(e.last - e.first);
  std::ranges::sort(steps);
  const size_t middle = steps[steps.size() / 2];
  Finding f{
      .what = "episodes",
      .value = str(with_commas(steps.size()), " of ", with_commas(steps.front()), " to ", with_commas(steps.back()),
                   " steps, median ", with_commas(middle), "; ", with_commas(data.rows()), " rows"),
      .meaning = "enough steps to learn from, and episodes long enough to show the way to distant goals"};
  if (data.rows() < kFewRows) {
    f.mark = Mark::kLook;
    f.meaning = str("fewer than ", with_commas(kFewRows), " rows are little to learn a map and a model from");
    f.advice = "record more; several hundred thousand rows are usual";
  } else if (middle < kShortEpisode) {
    f.mark = Mark::kLook;
    f.meaning = str("half of the episodes are shorter than ", kShortEpisode,
                    " steps; the map must be stitched from short pieces, and the prior sees near goals only");
    f.advice = "record longer episodes, or mend 'terminals' if they mark more than the last row of an episode";
  }
  return f;
}

// columns whose first values in an episode lie further from those of later rows than these lie from each other
std::string columns_of_first_rows(const Dataset& data) {
  constexpr size_t kMost = 20'000, kFewest = 20;  // rows to look at, episodes
  if (data.episodes.size() < kFewest) return "";
  const std::vector<size_t> steps = even_steps(data.episodes, kMost);
  std::string columns;
  std::vector<float> buffer, first, later;
  for (size_t k = 0; k < data.observation_size(); ++k) {
    first.clear();
    later.clear();
    for (const Episode& e : data.episodes) first.push_back(data.observations.floats(e.first, buffer)[k]);
    for (const size_t step : steps) later.push_back(data.observations.floats(step + 1, buffer)[k]);
    std::ranges::sort(later);
    const auto middle = first.begin() + static_cast<ptrdiff_t>(first.size() / 2);
    std::ranges::nth_element(first, middle);
    const float low = later[later.size() / 1000], high = later[later.size() - 1 - later.size() / 1000];
    if (*middle > high + (high - low) || *middle < low - (high - low)) columns += str(columns.empty() ? "" : ", ", k);
  }
  return columns;
}

}  // namespace

std::vector<size_t> even_steps(const std::vector<Episode>& episodes, size_t most) {
  size_t steps = 0;
  for (const Episode& e : episodes) steps += e.last - e.first;
  const size_t stride = std::max<size_t>(1, (steps + most - 1) / most);
  std::vector<size_t> rows;
  size_t at = 0;  // of all steps, so that short episodes are thinned out too
  for (const Episode& e : episodes)
    for (size_t row = e.first; row < e.last; ++row, ++at)
      if (at % stride == 0) rows.push_back(row);
  return rows;
}

std::vector<Finding> check_episodes(const Dataset& data) {
  std::vector<Finding> found = {episode_lengths(data)};
  Finding ends{.what = "episode ends", .value = "in order", .meaning = "no step looks like a forgotten end"};
  if (data.image()) return found;

  const size_t leaps = find_leaps(data.observations, data.episodes).rows.size();
  const double joined = joined_share(data);
  if (leaps > 0) {
    ends.mark = Mark::kLook;
    ends.value = str(with_commas(leaps), leaps == 1 ? " leap" : " leaps", " inside episodes");
    ends.meaning =
        "the state leaps by more than ten ordinary steps: teleports, lost samples, or ends that 'terminals' does not "
        "mark; preset fast cuts episodes there";
    ends.advice = "if these are ends of episodes, set terminals = 1 in the last row before each leap";
  } else if (data.episodes.size() == 1 && data.rows() > kLongEpisode) {
    ends.value = "one episode";
    ends.meaning = "one long recording without leaps; it can be used as it is";
  } else if (data.episodes.size() > 10 && joined > 0.5) {
    ends.mark = Mark::kLook;
    ends.value = str(share_text(joined), " of the episodes begin where the one before ended");
    ends.meaning = "one recording was cut into pieces; what leads over the cuts is not learned";
    ends.advice = "leave terminals = 0 where the recording goes on";
  }
  found.push_back(std::move(ends));
  if (const std::string columns = columns_of_first_rows(data); !columns.empty())
    found.push_back(
        {.mark = Mark::kLook,
         .what = "first rows",
         .value = "columns " + columns,
         .meaning = "these columns begin an episode at values that later rows never come near; a goal with such values "
                    "cannot be reached, and looks far from everything",
         .advice = "make goals from later rows, changing only what you want, or leave these columns out"});
  return found;
}

std::vector<Finding> check_actions(const Dataset& data) {
  std::vector<Finding> found;
  const ActionRange actions = action_range(data);
  const size_t columns = data.action_size();
  std::vector<std::vector<float>> sizes(columns);
  std::vector<float> low(columns, INFINITY), high(columns, -INFINITY), limits(columns);
  for (size_t row = 0; row < data.rows(); ++row) {
    const auto action = data.actions.row<float>(row);
    for (size_t k = 0; k < columns; ++k) {
      low[k] = std::min(low[k], action[k]);
      high[k] = std::max(high[k], action[k]);
      sizes[k].push_back(std::abs(action[k]));
    }
  }
  for (size_t k = 0; k < columns; ++k) limits[k] = std::max(std::abs(low[k]), std::abs(high[k]));

  // what the planner may do follows from the largest action of each column
  const auto largest = std::ranges::max_element(limits) - limits.begin();
  std::string outliers;
  for (size_t k = 0; k < columns; ++k) {
    const auto at = sizes[k].begin() + static_cast<ptrdiff_t>((sizes[k].size() - 1) * 999 / 1000);
    std::ranges::nth_element(sizes[k], at);
    if (limits[k] > kOutlier * *at && *at > 0)
      outliers +=
          str(outliers.empty() ? "" : ", ", "column ", k, ": ", figure_text(limits[k]), " against ", figure_text(*at));
  }
  Finding range{.what = "action limits",
                .value = str("largest action ", figure_text(limits[largest]), ", in column ", largest),
                .meaning = str("the planner acts within [", figure_text(actions.low(largest)), ", ",
                               figure_text(actions.high(largest)), "], as the data do")};
  if (!outliers.empty()) {
    range.mark = Mark::kBad;
    range.value = outliers + " for 99.9 % of the rows";
    range.meaning =
        "the largest action of a column is its limit, so a few outliers let the planner try actions that the data "
        "hardly have, and make ordinary ones look small to the networks";
    range.advice = "clip the actions to what the robot takes: numpy.clip(actions, -limit, limit)";
  } else if (limits[largest] > 1.0001f) {
    range.mark = Mark::kLook;
    range.meaning = str("limits are measured, not taken to be 1: the planner will answer with actions of up to ",
                        figure_text(limits[largest]));
    range.advice =
        "if the robot clips actions at 1, clip the data too, so that equal motions have equal actions; else leave it";
  }
  found.push_back(std::move(range));

  const double share = share_at_limit(data, actions);
  Finding at_limit{.what = "clipped actions",
                   .value = share_text(share) + " of the numbers lie at their limit",
                   .meaning = "the actions show what was wanted"};
  if (share > kManyClipped) {
    at_limit.mark = Mark::kLook;
    at_limit.meaning =
        "clipped noise hides how strongly the behaviour wanted to move, or actions are switches (bang-bang); preset "
        "fast learns the prior from the likelihood of clipped actions where this is common";
    at_limit.advice = "less noise in the behaviour, or unclipped actions, if you can choose";
  }
  found.push_back(std::move(at_limit));

  std::string unused;
  size_t count = 0;
  for (size_t k = 0; k < columns; ++k)
    if (low[k] == high[k]) unused += str(count++ ? ", " : "", k);
  if (count > 0)
    found.push_back({count == columns ? Mark::kBad : Mark::kLook, "unused actions",
                     str(count == 1 ? "column " : "columns ", unused, " never change"),
                     count == columns ? "all rows have the same action, so no control can be learned"
                                      : "what these actions do cannot be learned; the planner leaves them as they are",
                     count == columns ? "record data with varied actions" : "leave these columns out"});
  return found;
}

}  // namespace alps

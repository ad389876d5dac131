// Whether psi follows time, and the regions: parts of check_run.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "alps/base/rng.h"
#include "alps/data/check.h"
#include "alps/plan/familiarity.h"
#include "alps/plan/rollout.h"
#include "alps/run/check_parts.h"
#include "alps/run/embed_rows.h"

namespace alps {
namespace {

constexpr size_t kPairs = 4000;
constexpr double kGood = 0.7, kPoor = 0.4;        // rank correlations between episodes
constexpr double kFollows = 0.5, kAstray = 0.25;  // and in one, where behaviour turns back and forth

std::vector<double> ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> rank(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t j = i; j < end; ++j) rank[order[j]] = 0.5 * static_cast<double>(i + end - 1);
    i = end;
  }
  return rank;
}

Mark mark_of(double correlation, double good, double poor) {
  return correlation >= good ? Mark::kGood : correlation >= poor ? Mark::kLook : Mark::kBad;
}

constexpr const char* kTrainLonger =
    "train the representation longer (--set representation_steps=), or leave out columns that change fast and say "
    "little "
    "about where the agent is";

// states of the same episode: distance in psi against the steps between them
Finding time_in_episodes(const Run& run, const Dataset& data, int threads) {
  const size_t most = usual_gap(run);
  Rng rng(11);
  std::vector<size_t> here, there;
  std::vector<double> steps, distances;
  for (const size_t row : even_steps(data.episodes, kPairs)) {
    const auto e = std::ranges::upper_bound(data.episodes, row, {}, &Episode::first) - 1;
    const size_t gap = 1 + rng.below(std::min(most, e->last - row));
    here.push_back(row);
    there.push_back(row + gap);
    steps.push_back(static_cast<double>(gap));
  }
  const Array a = embed_rows(*run.model, data.observations, here, threads),
              b = embed_rows(*run.model, data.observations, there, threads);
  for (size_t i = 0; i < here.size(); ++i)
    distances.push_back(std::sqrt(squared_distance(a.row<float>(i), b.row<float>(i))));
  const double r = rank_correlation(distances, steps);
  return {.mark = mark_of(r, kFollows, kAstray),
          .what = "psi and time, in an episode",
          .value = str("rank correlation ", figure_text(r), " over gaps of up to ",
                       figure_text(*std::ranges::max_element(steps)), " steps"),
          .meaning = r >= kGood
                         ? "states that are further apart in time are further apart on the map"
                         : "the distance on the map says little about the time between two states of an episode; "
                           "behaviour that wanders back and forth lowers this too",
          .advice = r >= kFollows ? "" : kTrainLonger};
}

// states of different episodes: distance in psi against passages on the shortest way over regions
Finding time_between_episodes(const Run& run, const Dataset& data, int threads) {
  std::vector<size_t> rows = even_steps(data.episodes, 2 * kPairs);
  Rng rng(13);
  for (size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[rng.below(i)]);
  if (rows.size() % 2) rows.pop_back();
  const Array psi = embed_rows(*run.model, data.observations, rows, threads);
  std::vector<std::vector<int>> ways(run.graph->clusters());
  std::vector<double> distances, passages;
  for (size_t i = 0; i + 1 < rows.size(); i += 2) {
    const auto a = psi.row<float>(i), b = psi.row<float>(i + 1);
    const int from = run.graph->nearest(a), to = run.graph->nearest(b);
    if (ways[from].empty()) ways[from] = passages_from(*run.graph, from);
    if (ways[from][to] < 0) continue;
    passages.push_back(ways[from][to]);
    distances.push_back(std::sqrt(squared_distance(a, b)));
  }
  const double r = rank_correlation(distances, passages);
  return {.mark = mark_of(r, kGood, kPoor),
          .what = "psi and time, between episodes",
          .value = str("rank correlation ", figure_text(r), " with the passages on the shortest way, up to ",
                       passages.empty() ? "0" : figure_text(*std::ranges::max_element(passages))),
          .meaning = r >= kGood ? "distance on the map tells how many regions lie between two states of any episodes"
                                : "states that look near on the map are far apart by way of what was observed, or the "
                                  "other way round: routes will take detours or head for walls",
          .advice = r >= kGood ? "" : kTrainLonger};
}

}  // namespace

size_t usual_gap(const Run& run) {
  constexpr double kLeast = 4, kMost = 50;
  const double pace = run.config.survey.pace;
  return static_cast<size_t>(pace > 0 ? std::clamp(1 / pace, kLeast, kMost) : kMost);
}

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  ALPS_CHECK(a.size() == b.size());
  if (a.size() < 2) return 0;
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = 0.5 * static_cast<double>(a.size() - 1);
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

std::vector<int> passages_from(const ClusterGraph& graph, int from) {
  const size_t k = graph.clusters();
  std::vector<int> count(k, -1);
  std::queue<int> open({from});
  count[from] = 0;
  while (!open.empty()) {
    const int at = open.front();
    open.pop();
    for (size_t next = 0; next < k; ++next) {
      if (count[next] >= 0 || graph.passages[at * k + next] == 0) continue;
      count[next] = count[at] + 1;
      open.push(static_cast<int>(next));
    }
  }
  return count;
}

std::vector<Finding> check_reach(const Run& run, int threads) {
  const ClusterGraph& graph = *run.graph;
  if (graph.radii.empty())
    return {{Mark::kLook, "reach of the data", "not known",
             "the run was trained before this was measured, so decisions do not say how familiar a state or a goal is",
             "make the regions again: remove graph.npz, then alps train with --resume"}};
  std::vector<float> radii = graph.radii;
  std::ranges::sort(radii);
  Finding f{.what = "reach of the data",
            .value = str("regions reach ", figure_text(radii[radii.size() / 2]), " in psi from their centre (median)"),
            .meaning = str("a goal may lie up to about that far from a centre; decisions tell by off_data and "
                           "goal_off_data, and above ",
                           figure_text(kOffData), " the action is a guess")};
  const std::filesystem::path path = validation_path(run.config.data_path);
  if (!std::filesystem::exists(path)) return {std::move(f)};

  // states that nothing was trained on
  const Dataset held = load_dataset(path, {.state = false, .threads = threads});
  const std::vector<size_t> rows = even_steps(held.episodes, kPairs);
  const Array psi = embed_rows(*run.model, held.observations, rows, threads);
  size_t outside = 0;
  std::vector<float> state(held.image() ? 0 : run.model->state_size()), buffer;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!held.image()) run.model->observe(held.observations.floats(rows[i], buffer), state);
    outside += off_data(graph, state, psi.row<float>(i)) > kOffData;
  }
  const double share = static_cast<double>(outside) / static_cast<double>(std::max<size_t>(1, rows.size()));
  f.value += str("; ", share_text(share), " of the validation states lie outside");
  if (share > 0.01) {
    f.mark = share > 0.1 ? Mark::kBad : Mark::kLook;
    f.meaning = "states of other episodes often lie where the training data never were, and goals will too";
    f.advice = "record more, where these states are; goals have to be places that the data come to";
  }
  return {std::move(f)};
}

std::vector<Finding> check_map(const Run& run, const Dataset& data, int threads) {
  std::vector<Finding> found = {time_in_episodes(run, data, threads)};
  if (run.graph && run.graph->clusters() > 1) found.push_back(time_between_episodes(run, data, threads));
  return found;
}

std::vector<Finding> check_regions(const ClusterGraph& graph) {
  const size_t k = graph.clusters();
  if (k < 2) return {};
  // the regions from which, and to which, most others can be reached
  std::vector<std::vector<int>> ways;
  for (size_t c = 0; c < k; ++c) ways.push_back(passages_from(graph, static_cast<int>(c)));
  std::string no_exit, no_entry;
  size_t closed_out = 0, closed_in = 0, linked = 0;
  for (size_t a = 0; a < k; ++a) {
    size_t out = 0, in = 0;
    for (size_t b = 0; b < k; ++b) {
      out += a != b && ways[a][b] >= 0;
      in += a != b && ways[b][a] >= 0;
    }
    linked += out;
    if (graph.sizes[a] == 0) continue;
    if (out == 0) no_exit += str(closed_out++ ? ", " : "", a);
    if (in == 0) no_entry += str(closed_in++ ? ", " : "", a);
  }
  const double share = static_cast<double>(linked) / static_cast<double>(k * (k - 1));
  Finding f{.what = "regions",
            .value = str(k, " regions; ", share_text(share), " of the pairs have a way"),
            .meaning = "there is an observed way from every region to every other one"};
  if (closed_out + closed_in > 0 || share < 0.999) {
    f.mark = share < 0.5 ? Mark::kBad : Mark::kLook;
    if (closed_out > 0) f.value += "; without exits: " + no_exit;
    if (closed_in > 0) f.value += "; without entries: " + no_entry;
    f.meaning =
        "from some regions the data show no way to others: goals there have no route, and an agent that gets into a "
        "region without exits stays there";
    f.advice =
        "record episodes that join these places; a place that cannot be left, such as a fallen body, is best left "
        "out of the data";
  }
  std::vector<Finding> found = {std::move(f)};
  const auto trapped = static_cast<size_t>(std::ranges::count(traps(graph), true));
  if (4 * trapped > k)
    found.push_back({Mark::kLook, "traps", str(trapped, " of ", k, " regions have hardly any passages"),
                     "many regions describe states that are rarely entered or left, not the way through the world",
                     "leave such stretches out (--set still_share=0.3), or find the regions without them (--set "
                     "drop_traps=1)"});
  return found;
}

}  // namespace alps

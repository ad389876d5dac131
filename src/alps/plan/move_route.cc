#include "alps/plan/move_route.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <queue>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr float kFreeDoubt = 1;  // support down to -1 costs next to nothing
constexpr float kDoubt = 3;  // cost of each unit below: at -4, moves are all but impossible, and a detour of five pays
constexpr float kMostDoubt = 20;    // no move costs more than 21
constexpr float kPreference = 0.1;  // cost of each unit of support below 0: of places, the more usual one
constexpr double kMoved = 0.2;      // mean change of a factor that was moved along; less is a touch

using State = std::vector<uint16_t>;  // the place of each factor, by number

class Search {
 public:
  Search(const FactorPlaces& factors, std::span<const float> now, std::span<const float> goal,
         const MoveRouteParams& params, const Foresee& foresee)
      : sizes_(factors.sizes), params_(params), foresee_(foresee) {
    size_t first = 0;
    for (size_t f = 0; f < sizes_.size(); ++f) {
      first_.push_back(first);
      places_.emplace_back();
      add_place(f, now.subspan(first, sizes_[f]));
      start_.push_back(0);
      if (mean_difference(now.subspan(first, sizes_[f]), goal.subspan(first, sizes_[f])) > near(f))
        add_place(f, goal.subspan(first, sizes_[f]));
      goal_.push_back(static_cast<uint16_t>(places_[f].size() - 1));
      const std::span<const float> known = factors.places[f];
      for (size_t i = 0; i + sizes_[f] <= known.size(); i += sizes_[f])
        if (nearest(f, known.subspan(i, sizes_[f])).second > std::max(near(f), kMoved))
          add_place(f, known.subspan(i, sizes_[f]));
      first += sizes_[f];
    }
  }

  MoveRoute run() {
    nodes_[start_] = {};
    open_.push({missing(start_), start_});
    State best = start_;
    size_t looked_at = 0;
    while (!open_.empty()) {
      const State state = open_.top().second;
      open_.pop();
      Node& node = nodes_.at(state);
      if (node.closed) continue;
      node.closed = true;
      if (missing(state) < missing(best)) best = state;
      if (state == goal_ || ++looked_at > params_.most) {
        const State& end = state == goal_ ? state : best;
        return {way_to(end), nodes_.at(end).cost, state == goal_};
      }
      expand(state, node.cost);
    }
    return {way_to(best), nodes_.at(best).cost, false};
  }

 private:
  struct Node {
    double cost = 0;
    bool closed = false;
    State before;
    size_t factor = 0;  // that was moved to get here
  };

  double near(size_t f) const { return f < params_.near.size() ? params_.near[f] : 0; }
  void add_place(size_t f, std::span<const float> place) { places_[f].emplace_back(place.begin(), place.end()); }

  std::pair<uint16_t, double> nearest(size_t f, std::span<const float> values) const {
    std::pair<uint16_t, double> found{0, std::numeric_limits<double>::infinity()};
    for (size_t i = 0; i < places_[f].size(); ++i)
      if (const double d = mean_difference(places_[f][i], values); d < found.second)
        found = {static_cast<uint16_t>(i), d};
    return found;
  }

  // each factor that is elsewhere takes a move at least, unless it is moved along with another
  double missing(const State& state) const {
    double count = 0;
    for (size_t f = 0; f < state.size(); ++f) count += state[f] != goal_[f];
    return count;
  }

  std::vector<float> values_of(const State& state) const {
    std::vector<float> values;
    for (size_t f = 0; f < state.size(); ++f)
      values.insert(values.end(), places_[f][state[f]].begin(), places_[f][state[f]].end());
    return values;
  }

  void expand(const State& state, double cost) {
    std::vector<MoveStep> moves;
    std::vector<uint16_t> to;
    for (size_t f = 0; f < state.size(); ++f)
      for (size_t i = 0; i < places_[f].size(); ++i) {
        if (i == state[f] || (state == start_ && params_.first >= 0 && f != static_cast<size_t>(params_.first)))
          continue;
        moves.push_back({f, places_[f][i]});
        to.push_back(static_cast<uint16_t>(i));
      }
    const std::vector<float> values = values_of(state);
    const Outcomes outcomes = foresee_(values, moves);
    ALPS_CHECK(outcomes.support.size() == moves.size() && outcomes.after.size() == moves.size() * values.size());
    for (size_t m = 0; m < moves.size(); ++m) {
      const size_t moved = moves[m].factor;
      State next = state;
      next[moved] = to[m];
      for (size_t f = 0; f < state.size(); ++f) {
        if (f == moved) continue;
        const auto after = std::span(outcomes.after).subspan(m * values.size() + first_[f], sizes_[f]);
        if (mean_difference(after, std::span(values).subspan(first_[f], sizes_[f])) > kMoved)
          next[f] = nearest(f, after).first;
      }
      const float doubt = std::max(0.0f, -outcomes.support[m]);
      const float less = kPreference * std::min(doubt, kFreeDoubt) + kDoubt * std::max(0.0f, doubt - kFreeDoubt);
      double total = cost + 1 + std::min(less, kMostDoubt);
      if (state == start_ && moved < params_.dislike.size()) total += params_.dislike[moved];
      const auto [at, is_new] = nodes_.try_emplace(next);
      if (!is_new && at->second.cost <= total) continue;
      at->second = {total, false, state, moved};
      open_.push({total + missing(next), next});
    }
  }

  std::vector<MoveStep> way_to(State state) const {
    std::vector<MoveStep> steps;
    while (state != start_) {
      const Node& node = nodes_.at(state);
      steps.push_back({node.factor, places_[node.factor][state[node.factor]]});
      state = node.before;
    }
    std::ranges::reverse(steps);
    return steps;
  }

  const std::vector<size_t> sizes_;
  const MoveRouteParams& params_;
  const Foresee& foresee_;
  std::vector<size_t> first_;  // column of each factor
  std::vector<std::vector<std::vector<float>>> places_;
  State start_, goal_;
  std::map<State, Node> nodes_;
  using Entry = std::pair<double, State>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open_;
};

}  // namespace

double mean_difference(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return a.empty() ? 0 : sum / static_cast<double>(a.size());
}

MoveRoute find_move_route(const FactorPlaces& factors, std::span<const float> now, std::span<const float> goal,
                          const MoveRouteParams& params, const Foresee& foresee) {
  return Search(factors, now, goal, params, foresee).run();
}

}  // namespace alps

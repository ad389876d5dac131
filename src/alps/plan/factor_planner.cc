#include "alps/plan/factor_planner.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "alps/base/error.h"
#include "alps/plan/familiarity.h"
#include "alps/plan/rollout.h"

namespace alps {
namespace {

// A thing is at its goal within so many deviations, more where moving it has failed; less than this the data do not
// count as a move, so that nobody knows how to make it.
constexpr double kNear = 0.08;
constexpr double kNearMeanwhile = 0.2;  // of a thing that was only put out of the way
constexpr int kLong = 10'000;           // decisions, where nothing is known of before
constexpr int kRested = 5;              // decisions, as in the data
constexpr double kMoved = 0.1;          // deviations; less is a touch, as in the data
constexpr double kPatience = 1.25;      // times what nearly all moves take
constexpr float kStuck = 0.5f;          // of what states of the data stir at least
constexpr double kDislike = 0.5;        // cost of a first move that has failed, each time

void expect_size(const Bundle& bundle, const char* name, size_t inputs, size_t outputs) {
  const Mlp& network = bundle.network(name);
  if (network.inputs() != inputs || network.outputs() != outputs)
    throw Error("network '", name, "' maps ", network.inputs(), " numbers to ", network.outputs(), ", expected ",
                inputs, " to ", outputs, "; train the run anew with alps train");
}

}  // namespace

bool plans_by_factors(const Bundle& bundle) { return bundle.has("mover") && bundle.has("outcome"); }

FactorPlanner::FactorPlanner(std::shared_ptr<const Bundle> bundle, std::shared_ptr<const Model> model,
                             std::shared_ptr<const ClusterGraph> graph)
    : bundle_(std::move(bundle)),
      model_(std::move(model)),
      graph_(std::move(graph)),
      spec_{bundle_->observation_shape(), false, bundle_->actions()},
      inputs_(*bundle_) {
  for (const size_t size : inputs_.sizes) {
    first_.push_back(first_.empty() ? 0 : first_.back() + factors_.sizes.back());
    factors_.sizes.push_back(size);
  }
  rest_ = bundle_->vector("mover.rest");
  patience_ = bundle_->vector("mover.patience");
  const std::vector<float>& stirs = bundle_->vector("mover.stir");
  const size_t f = factors_.sizes.size(), c = inputs_.columns.size();
  if (rest_.size() != c || patience_.size() != f || stirs.size() != 2 || !(stirs[0] >= 1))
    throw Error("the vectors of the mover do not fit together; train the run anew with alps train");
  window_ = static_cast<size_t>(stirs[0]);
  stir_ = stirs[1];
  expect_size(*bundle_, "mover", inputs_.size(bundle_->state_size()), bundle_->action_size());
  expect_size(*bundle_, "outcome", inputs_.outcome_size(), 1 + inputs_.largest());

  const std::vector<float>&counts = bundle_->vector("outcome.counts"), &places = bundle_->vector("outcome.places");
  size_t at = 0;
  for (size_t i = 0; i < f && i < counts.size(); ++i) {
    const size_t size = static_cast<size_t>(counts[i]) * factors_.sizes[i];
    if (at + size > places.size()) throw Error("the places of the outcomes are damaged; train the run anew");
    factors_.places.emplace_back(places.begin() + static_cast<ptrdiff_t>(at),
                                 places.begin() + static_cast<ptrdiff_t>(at + size));
    at += size;
  }
  factors_.places.resize(f);
  if (graph_ && graph_->dim != model_->eigenvectors()) graph_.reset();
}

std::vector<float> FactorPlanner::values_of(std::span<const float> state) const {
  std::vector<float> values;
  for (const size_t k : inputs_.columns) values.push_back(state[k]);
  return values;
}

std::span<const float> FactorPlanner::part(std::span<const float> values, size_t factor) const {
  return values.subspan(first_[factor], factors_.sizes[factor]);
}

void FactorPlanner::reset(Observation goal, Rng) {
  check_observation(spec_, goal);
  std::vector<float> state(model_->state_size());
  model_->observe(goal, state);
  goal_ = values_of(state);
  goal_psi_.resize(model_->eigenvectors());
  model_->psi(state, goal_psi_);
  goal_off_data_ = graph_ ? alps::off_data(*graph_, state, goal_psi_) : -1;
  last_.clear();
  rested_at_.clear();
  began_.clear();
  lately_.clear();
  since_ = kLong;
  steps_.clear();
  refining_ = false;
  age_ = 0;
  still_.assign(factors_.sizes.size(), kLong);
  failures_.assign(factors_.sizes.size(), 0);
}

Decision FactorPlanner::act(Observation observation) {
  if (goal_.empty()) throw UsageError("the planner has no goal yet; call reset with a goal before act");
  check_observation(spec_, observation);
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };

  Decision decision;
  std::vector<float> state(model_->state_size());
  model_->observe(observation, state);
  decision.psi.resize(model_->eigenvectors());
  model_->psi(state, decision.psi);
  decision.goal_distance = std::sqrt(squared_distance(decision.psi, goal_psi_));
  if (graph_) decision.off_data = alps::off_data(*graph_, state, decision.psi);
  decision.goal_off_data = goal_off_data_;
  decision.embed_ms = passed();

  // which thing goes where, and how
  const std::vector<float> values = values_of(state);
  watch(state, values);
  if (steps_.empty() || over(values)) {
    decision.replanned = !steps_.empty();
    choose(values);
  }
  ++age_;
  tell_steps(decision);
  decision.propose_ms = passed() - decision.embed_ms;
  const std::vector<float> unit = mover_action(state);
  for (size_t a = 0; a < unit.size(); ++a) decision.action.push_back(spec_.actions.clamped(a, unit[a]));
  decision.plan = decision.action;
  decision.total_ms = passed();
  return decision;
}

// how long each factor has rested, how long ago the last move ended, and what happened lately
void FactorPlanner::watch(std::span<const float> state, std::span<const float> values) {
  ++since_;
  if (lately_.size() == window_ * state.size())
    lately_.erase(lately_.begin(), lately_.begin() + static_cast<ptrdiff_t>(state.size()));
  lately_.insert(lately_.end(), state.begin(), state.end());
  for (size_t f = 0; f < still_.size() && !last_.empty(); ++f) {
    bool moves = false;
    for (size_t i = first_[f]; i < first_[f] + factors_.sizes[f]; ++i)
      moves |= std::abs(values[i] - last_[i]) > rest_[i];
    still_[f] = moves ? 0 : still_[f] + 1;
    if (still_[f] != kRested) continue;
    if (mean_difference(part(values, f), part(rested_at_, f)) >= kMoved) since_ = kRested;
    std::ranges::copy(part(values, f), rested_at_.begin() + static_cast<ptrdiff_t>(first_[f]));
  }
  last_.assign(values.begin(), values.end());
  if (rested_at_.empty()) rested_at_ = last_;
}

double FactorPlanner::near(size_t factor) const { return kNear * (1 + failures_[factor]); }

// the step that is being made is done, has brought its thing elsewhere, or has taken too long
bool FactorPlanner::over(std::span<const float> values) {
  const auto& [factor, to] = steps_.front();
  const bool at_goal = mean_difference(to, part(goal_, factor)) == 0;
  const double reach = refining_ ? 0 : at_goal ? near(factor) : kNearMeanwhile;
  const auto here = part(values, factor);
  if (still_[factor] >= kRested && mean_difference(here, to) <= reach) return true;
  const bool missed = still_[factor] == kRested && mean_difference(here, part(began_, factor)) >= kMoved;
  if (!missed && !stuck() && age_ < kPatience * patience_[factor]) return false;
  ++failures_[factor];
  since_ = 0;
  return true;
}

bool FactorPlanner::stuck() const {
  const size_t size = model_->state_size();
  return lately_.size() == window_ * size && stir(lately_, size) < kStuck * stir_;
}

void FactorPlanner::choose(std::span<const float> values) {
  MoveRouteParams params;
  for (size_t f = 0; f < factors_.sizes.size(); ++f) {
    params.near.push_back(near(f));
    params.dislike.push_back(kDislike * failures_[f]);
  }
  // what is in the hand is put down first
  for (size_t f = 0; f < still_.size(); ++f)
    if (still_[f] < kRested && (params.first < 0 || (!steps_.empty() && f == steps_.front().factor)))
      params.first = static_cast<int>(f);
  if (params.first >= 0) params.near[static_cast<size_t>(params.first)] = 0;
  const MoveRoute route =
      find_move_route(factors_, values, goal_, params, [&](auto from, auto moves) { return foresee(from, moves); });
  steps_ = route.steps;
  began_.assign(values.begin(), values.end());
  lately_.clear();
  age_ = 0;
  refining_ = steps_.empty();
  if (!refining_) return;
  size_t furthest = 0;
  double most = -1;
  for (size_t f = 0; f < factors_.sizes.size(); ++f) {
    const double distance = mean_difference(part(values, f), part(goal_, f)) / near(f);
    if (distance > most) {
      most = distance;
      furthest = f;
    }
  }
  const auto to = part(goal_, furthest);
  steps_ = {{furthest, {to.begin(), to.end()}}};
}

Outcomes FactorPlanner::foresee(std::span<const float> values, std::span<const MoveStep> moves) const {
  const size_t f = factors_.sizes.size(), n = moves.size(), width = inputs_.outcome_size(),
               each = 1 + inputs_.largest();
  std::vector<float> in(n * f * width), out(n * f * each);
  for (size_t m = 0; m < n; ++m)
    for (size_t g = 0; g < f; ++g)
      inputs_.fill_outcome(values, moves[m].factor, moves[m].to, g, in.data() + (m * f + g) * width);
  bundle_->network("outcome").forward(in, out);
  Outcomes outcomes;
  for (size_t m = 0; m < n; ++m) {
    const float* const of_move = out.data() + m * f * each;
    float support = of_move[0];
    for (size_t g = 0; g < f; ++g) {
      support = std::min(support, of_move[g * each]);
      for (size_t i = 0; i < factors_.sizes[g]; ++i)
        outcomes.after.push_back(g == moves[m].factor ? moves[m].to[i]
                                                      : values[first_[g] + i] + of_move[g * each + 1 + i]);
    }
    outcomes.support.push_back(support);
  }
  return outcomes;
}

// in units of the action limits
std::vector<float> FactorPlanner::mover_action(std::span<const float> state) const {
  const auto& [factor, to] = steps_.front();
  std::vector<float> in(inputs_.size(state.size())), out(bundle_->action_size());
  inputs_.fill(state, factor, part(rested_at_, factor), to, static_cast<float>(since_), in.data());
  bundle_->network("mover").forward(in, out);
  return out;
}

void FactorPlanner::tell_steps(Decision& decision) const {
  for (const auto& [factor, to] : steps_) {
    Decision::Step step{.factor = static_cast<int>(factor), .columns = {}, .to = {}};
    for (size_t i = 0; i < to.size(); ++i) {
      const size_t k = inputs_.columns[first_[factor] + i];
      step.columns.push_back(k);
      step.to.push_back(model_->mean[k] + model_->deviation[k] * to[i]);
    }
    decision.steps.push_back(std::move(step));
  }
}

}  // namespace alps

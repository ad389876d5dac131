#include "alps/plan/planner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <variant>

#include "alps/base/error.h"
#include "alps/base/names.h"

namespace alps {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kVague = 0.5;  // spread of a prior, in action limits: of ants 0.30 to 0.34, of ants that explore 0.71

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

const std::vector<std::string>& variant_names() {
  static const std::vector<std::string> names = {"cem", "prior", "cem+prior", "dijkstra+cem", "dijkstra+prior", "alps"};
  return names;
}

Variant variant_named(std::string_view name) {
  if (name == "alps") return {true, true, true};
  if (name == "prior") return {false, true, false};
  if (name == "cem") return {false, false, true};
  if (name == "cem+prior") return {false, true, true};
  if (name == "dijkstra+cem") return {true, false, true};
  if (name == "dijkstra+prior") return {true, true, false};
  throw UsageError("no variant '", name, "'", nearest_hint(name, variant_names()),
                   "; there are cem, prior, cem+prior, dijkstra+cem, dijkstra+prior and alps");
}

PlannerConfig planner_preset(std::string_view preset, std::string_view variant, std::string_view data_name,
                             size_t state_size, std::string_view method, double spread) {
  PlannerConfig config{.preset = std::string(preset), .variant = std::string(variant)};
  const Variant parts = variant_named(variant);
  const bool maze2d = data_name.find("maze2d") != std::string_view::npos;
  if (maze2d) {
    config.cem.horizon = 2;
    config.action_limit = 0.2;
  }
  if (preset == "paper") {
    // without a prior the search starts from nothing (appendix "Ablations")
    if (!parts.prior) {
      config.cem.sigma = 1.0;
      config.cem.iterations = 15;
      config.cem.samples = 5000;
    }
  } else if (preset == "fast") {
    const bool point = state_size == 2, body = !point && !maze2d;
    config.keep_plan = true;
    if (!parts.route) config.far = 4;  // along a route it would rather hurt (docs/experiments.md)
    if (maze2d) {
      config.cem.noise_beta = 0;  // the second of two long steps often turns a corner
      config.nudge = 0.5;
    } else {
      config.fall_back = 5;
      config.patience = point ? 30 : 100;  // an ant takes 30 steps to cross a cell
    }
    config.cem.samples = maze2d ? 128 : point ? 30 : 32;
    config.cem.keep_elites = !point;
    config.cem.iterations = maze2d ? 5 : point ? 3 : 2;
    if (!maze2d) config.cem.horizon = 10;
    if (!parts.prior) config.cem.sigma = 1.0;
    if (body && parts.prior) {
      // near the prior the model can be trusted; far from it, the search finds its errors (docs/experiments.md)
      config.cem.sigma = 0.15;
      config.keep_plan = false;
      // noisy behaviour leaves a vague prior and a model that has seen every action: search wider, and more
      if (spread > kVague) {
        config.cem.sigma = 0.2;
        config.cem.samples = 64;
        config.cem.iterations = 4;
        config.narrow = 20;
      }
    }
  } else {
    throw UsageError("no planner preset '", preset, "'; there are fast and paper");
  }
  if (method == "pclast") {
    // independent noise of unit deviation around nothing, more elites, no smoothing
    config.cem.elite_ratio = 0.2;
    config.cem.sigma = 1.0;
    config.cem.noise_beta = 0.0;
    config.cem.momentum = 0.0;
  }
  return config;
}

void set_planner_field(PlannerConfig& config, std::string_view assignment) {
  struct Field {
    std::string key;
    std::variant<int*, double*, bool*> value;
    double least, most;
  };
  CemParams& c = config.cem;
  const std::vector<Field> fields = {{"samples", &c.samples, 1, 1e6},
                                     {"horizon", &c.horizon, 1, 1000},
                                     {"iterations", &c.iterations, 1, 1000},
                                     {"elite_ratio", &c.elite_ratio, 0, 1},
                                     {"sigma", &c.sigma, 0, 100},
                                     {"noise_beta", &c.noise_beta, 0, 1},
                                     {"momentum", &c.momentum, 0, 1},
                                     {"keep_elites", &c.keep_elites, 0, 1},
                                     {"penalty", &config.penalty, 0, 1e6},
                                     {"keep_plan", &config.keep_plan, 0, 1},
                                     {"fall_back", &config.fall_back, 0, 1e6},
                                     {"patience", &config.patience, 0, 1e6},
                                     {"far", &config.far, 0, 1e6},
                                     {"narrow", &config.narrow, 0, 1e6},
                                     {"nudge", &config.nudge, 0, 10}};
  const size_t equals = std::min(assignment.find('='), assignment.size());
  const std::string key(assignment.substr(0, equals));
  const std::string text(assignment.substr(std::min(equals + 1, assignment.size())));
  if (equals == assignment.size()) throw UsageError("--set takes KEY=VALUE, not '", key, "'");
  if (key == "precision") {
    if (text != "fp32" && text != "bf16") throw UsageError("--set precision: '", text, "' is neither fp32 nor bf16");
    if (text == "bf16" && !has_bf16())
      throw UsageError(
          "--set precision: this processor has no instructions for bf16 (AVX-512 BF16), or ALPS_PRECISION=fp32 "
          "is set; use fp32");
    config.precision = text == "bf16" ? Precision::kBf16 : Precision::kFp32;
    return;
  }
  std::vector<std::string> keys = {"precision"};
  for (const Field& field : fields) keys.push_back(field.key);
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.key == key; });
  if (field == fields.end()) throw UsageError("--set: no setting '", key, "'", nearest_hint(key, keys));
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') throw UsageError("--set ", key, ": '", text, "' is not a number");
  const bool whole = !std::holds_alternative<double*>(field->value);
  if (!(value >= field->least && value <= field->most) || (whole && value != std::floor(value)))
    throw UsageError("--set ", key, ": ", text, " is not a ", whole ? "whole " : "", "number between ", field->least,
                     " and ", field->most);
  std::visit([&](auto* to) { *to = static_cast<std::remove_pointer_t<decltype(to)>>(value); }, field->value);
}

Planner load_planner(const std::filesystem::path& run, std::string_view variant, std::string_view preset) {
  auto model = std::make_shared<Model>(load_model(run));
  const auto told = [&](const char* key) {
    const auto found = model->metadata.find(key);
    return found == model->metadata.end() ? std::string() : found->second;
  };
  const PlannerConfig config =
      planner_preset(preset, variant, told("data"), model->state_size(), told("method"), model->prior_spread);
  std::shared_ptr<ClusterGraph> graph;
  if (variant_named(variant).route) graph = std::make_shared<ClusterGraph>(load_graph(run / "graph.npz"));
  return Planner(std::move(model), std::move(graph), config);
}

Planner::Planner(std::shared_ptr<const Model> model, std::shared_ptr<const ClusterGraph> graph, PlannerConfig config)
    : model_(std::move(model)),
      graph_(std::move(graph)),
      config_(std::move(config)),
      variant_(variant_named(config_.variant)) {
  if (model_->representation.empty()) throw Error("the run has no representation; train it with alps train");
  if (variant_.search && model_->model.empty())
    throw Error("variant ", config_.variant, " needs a forward model; train it with alps train");
  if (variant_.prior && model_->prior.empty())
    throw Error("variant ", config_.variant, " needs a behaviour prior; train it with alps train");
  if (!variant_.route) return;
  if (!graph_) throw Error("variant ", config_.variant, " needs the cluster graph; make it with alps train");
  if (graph_->dim != model_->eigenvectors())
    throw Error("the cluster graph has ", graph_->dim, " dimensions but psi has ", model_->eigenvectors(),
                "; make the graph again with alps train");
  router_.emplace(*graph_);
}

void Planner::reset(std::span<const float> goal_observation, Rng rng) {
  check_observation(goal_observation);
  rng_ = rng;
  std::vector<float> state(model_->state_size());
  model_->observe(goal_observation, state);
  goal_psi_.resize(model_->eigenvectors());
  model_->psi(state, goal_psi_);
  goal_cluster_ = router_ ? graph_->nearest(goal_psi_) : -1;
  route_.clear();
  closed_.clear();
  last_cluster_ = -1;
  forget_progress();
  recent_.clear();
  last_plan_.assign(config_.cem.horizon * model_->action_size(), 0.0f);
}

void Planner::check_observation(std::span<const float> observation) const {
  if (observation.size() != model_->observation_size())
    throw Error("an observation of this run has ", model_->observation_size(), " numbers, not ", observation.size());
  for (size_t i = 0; i < observation.size(); ++i)
    if (!std::isfinite(observation[i])) throw Error("number ", i, " of the observation is not finite");
}

// Dijkstra from here to the goal
void Planner::plan_route(int from) {
  Route found = router_->route(from, goal_cluster_, closed_);
  if (found.clusters.empty() && !closed_.empty()) {
    // there is no other way: try the closed ones again
    closed_.clear();
    found = router_->route(from, goal_cluster_);
  }
  route_ = std::move(found.clusters);
  top_p_ = found.top_p;
  next_ = std::min<size_t>(1, route_.size() - 1);
  behind_ = 0;
}

// Algorithm 1: replan when off the route, advance on entering the target cluster, the goal itself as the last target
void Planner::follow_route(Decision& decision) {
  decision.subgoal = goal_psi_;
  decision.goal_cluster = goal_cluster_;
  if (!router_) return;
  decision.cluster = graph_->nearest(decision.psi);
  const size_t at = std::find(route_.begin(), route_.end(), decision.cluster) - route_.begin();
  if (at == route_.size()) {
    decision.replanned = !route_.empty();
    plan_route(decision.cluster);
    decision.no_route = route_.empty();
    if (decision.no_route) return;
  } else if (at == next_) {
    decision.advanced = next_ + 1 < route_.size();
    next_ = std::min(next_ + 1, route_.size() - 1);
  }

  // who has been elsewhere on the route for a while goes on from there
  behind_ = decision.cluster == route_[next_ > 0 ? next_ - 1 : 0] ? 0 : behind_ + 1;
  if (config_.fall_back > 0 && behind_ > config_.fall_back) {
    next_ = std::min(at + 1, route_.size() - 1);
    behind_ = 0;
  }
  decision.top_p = top_p_;
  decision.target = route_[next_];
  decision.route.assign(route_.begin() + (next_ > 0 ? next_ - 1 : 0), route_.end());
  if (decision.target != goal_cluster_) {
    const auto center = graph_->center(decision.target);
    decision.subgoal.assign(center.begin(), center.end());
  }
}

// no progress on the route for `patience` decisions: the way that is left has not become shorter
bool Planner::stalled(const Decision& decision) {
  if (config_.patience == 0 || decision.target < 0) return false;
  double left = decision.subgoal_distance;
  for (size_t i = next_; i + 1 < route_.size(); ++i) left += graph_->length(route_[i], route_[i + 1]);
  if (last_cluster_ >= 0 && last_cluster_ != decision.cluster) crossed_ = std::minmax(last_cluster_, decision.cluster);
  last_cluster_ = decision.cluster;
  if (left < 0.99 * least_left_) {
    least_left_ = left;
    idle_ = 0;
    crossed_.reset();
  }
  return ++idle_ > config_.patience && decision.cluster != goal_cluster_;
}

// what the agent crosses back and forth, or else what it stands in front of, is no passage here
void Planner::close_passage(Decision& decision) {
  std::tie(decision.closed_from, decision.closed_to) =
      crossed_.value_or(std::minmax(decision.cluster, decision.target));
  closed_.insert({decision.closed_from, decision.closed_to});
  route_.clear();
  forget_progress();
}

void Planner::forget_progress() {
  least_left_ = std::numeric_limits<double>::infinity();
  idle_ = 0;
  crossed_.reset();
}

Decision Planner::act(std::span<const float> observation) {
  if (goal_psi_.empty()) throw Error("the planner has no goal yet; call reset with a goal before act");
  check_observation(observation);
  const auto start = Clock::now();
  const Deadline deadline = config_.budget_ms > 0
                                ? start + std::chrono::microseconds(static_cast<int64_t>(1000 * config_.budget_ms))
                                : Deadline::max();
  // one slow block, on a machine that stood still for a moment, must not keep later decisions from searching at all
  if (config_.budget_ms > 0) *block_time_ = std::min(block_time_->load(), (deadline - start) / 2);
  Decision decision;
  std::vector<float> state(model_->state_size());
  model_->observe(observation, state);
  decision.psi.resize(model_->eigenvectors());
  model_->psi(state, decision.psi);
  follow_route(decision);
  decision.subgoal_distance = std::sqrt(squared_distance(decision.psi, decision.subgoal));
  if (stalled(decision)) {
    close_passage(decision);
    follow_route(decision);
    decision.detour = true;
    decision.subgoal_distance = std::sqrt(squared_distance(decision.psi, decision.subgoal));
  }
  decision.goal_distance = std::sqrt(squared_distance(decision.psi, goal_psi_));
  decision.embed_ms = milliseconds_since(start);

  // the first mean: what the prior would do, or the last plan moved on by one step
  const size_t action_size = model_->action_size();
  const RolloutParams rollout{.horizon = static_cast<size_t>(config_.cem.horizon),
                              .penalty = config_.penalty,
                              .threads = config_.threads,
                              .precision = config_.precision,
                              .deadline = deadline,
                              .block_time = block_time_};
  auto mark = Clock::now();
  std::vector<CemShown> shown;
  decision.plan = variant_.prior ? propose(state, decision.subgoal) : last_plan_;
  decision.kept_plan = !variant_.prior;
  if (variant_.prior && variant_.search && config_.keep_plan) {
    std::vector<float> both = decision.plan, costs(2);
    both.insert(both.end(), last_plan_.begin(), last_plan_.end());
    rollout_costs(*model_, state, decision.subgoal, both, rollout, {}, costs);
    decision.kept_plan = costs[1] < costs[0];
    if (decision.kept_plan) decision.plan = last_plan_;
  }
  decision.propose_ms = milliseconds_since(mark);
  if (variant_.search) {
    mark = Clock::now();
    CemParams search = config_.cem;
    if (config_.narrow > 0) search.sigma *= std::exp2(-std::max(idle_ - 1, 0) / config_.narrow);
    CemResult result = cem(
        search, std::move(decision.plan), action_size, config_.action_limit,
        [&](auto actions, const Needed& needed, auto costs) {
          rollout_costs(*model_, state, decision.subgoal, actions, rollout, needed, costs);
        },
        rng_, deadline, config_.threads);
    decision.plan = std::move(result.plan);
    decision.best_costs = std::move(result.best_costs);
    decision.elite_costs = std::move(result.elite_costs);
    shown = std::move(result.shown);
    decision.search_ms = milliseconds_since(mark);
    last_plan_.assign(decision.plan.begin() + action_size, decision.plan.end());
    last_plan_.resize(decision.plan.size(), 0.0f);
  }
  const auto limit = static_cast<float>(config_.action_limit);
  // where the model is wrong, the same decision would be taken again and again
  const float nudge = config_.nudge > 0 && seen_recently(state) ? static_cast<float>(config_.nudge) * limit : 0.0f;
  for (size_t a = 0; a < action_size; ++a) {
    const float noise = nudge > 0 ? nudge * static_cast<float>(rng_.normal()) : 0.0f;
    decision.action.push_back(std::clamp(decision.plan[a] + noise, -limit, limit));
  }
  decision.total_ms = milliseconds_since(start);

  // for those who watch, and not part of the decision's time
  if (config_.cem.shown > 0 && !model_->model.empty()) {
    const size_t horizon = variant_.search ? config_.cem.horizon : 1;  // without a search, one action was proposed
    decision.imagined_plan = imagine(state, std::span(decision.plan).first(horizon * action_size), horizon);
    for (CemShown& s : shown)
      decision.imagined.push_back({s.elites, imagine(state, s.actions, horizon), std::move(s.costs)});
  }
  return decision;
}

bool Planner::seen_recently(const std::vector<float>& state) {
  constexpr size_t kDecisions = 8;
  const bool seen = std::find(recent_.begin(), recent_.end(), state) != recent_.end();
  if (recent_.size() == kDecisions) recent_.erase(recent_.begin());
  recent_.push_back(state);
  return seen;
}

// What the prior is shown for the subgoal: of ways much longer than any it learned from it makes nothing, but their
// direction it knows
std::vector<float> Planner::within_reach(std::span<const float> psi, std::span<const float> subgoal) const {
  std::vector<float> shown(subgoal.begin(), subgoal.end());
  const double distance = std::sqrt(squared_distance(psi, subgoal)), known = config_.far * model_->prior_way;
  if (known <= 0 || distance <= known) return shown;
  const auto part = static_cast<float>(model_->prior_way / distance);
  for (size_t i = 0; i < shown.size(); ++i) shown[i] = psi[i] + part * (subgoal[i] - psi[i]);
  return shown;
}

// the prior, rolled out through the forward model: one action, or a whole sequence where CEM goes on from it
std::vector<float> Planner::propose(std::span<const float> state, std::span<const float> subgoal) const {
  const size_t action_size = model_->action_size();
  std::vector<float> plan(config_.cem.horizon * action_size), at(state.begin(), state.end()),
      psi(model_->eigenvectors());
  const int steps = variant_.search ? config_.cem.horizon : 1;
  const auto limit = static_cast<float>(config_.action_limit);
  for (int t = 0; t < steps; ++t) {
    const std::span<float> action = std::span(plan).subspan(t * action_size, action_size);
    // in fp32: the prior reads small differences of psi, and would amplify what rounding makes of them
    model_->psi(at, psi);
    model_->act(at, psi, within_reach(psi, subgoal), action);
    for (float& a : action) a = std::clamp(a, -limit, limit);
    if (t + 1 < steps) model_->step(at, action, at, 1, config_.precision);
  }
  return plan;
}

// actions (count, horizon, action_size) -> states (count, horizon + 1, state_size)
std::vector<float> Planner::imagine(std::span<const float> state, std::span<const float> actions,
                                    size_t horizon) const {
  const size_t a = model_->action_size(), s = state.size(), count = actions.size() / (horizon * a);
  std::vector<float> states(count * (horizon + 1) * s), at(count * s), step(count * a);
  for (size_t t = 0; t <= horizon; ++t) {
    for (size_t i = 0; i < count; ++i) {
      if (t == 0) std::copy(state.begin(), state.end(), &at[i * s]);
      std::copy_n(&at[i * s], s, &states[(i * (horizon + 1) + t) * s]);
      if (t < horizon) std::copy_n(&actions[(i * horizon + t) * a], a, &step[i * a]);
    }
    if (t < horizon) model_->step(at, step, at, 1, config_.precision);
  }
  return states;
}

}  // namespace alps

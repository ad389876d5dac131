#include "alps/plan/planner.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"

namespace alps {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// what the variant needs is there, and its sizes fit each other
void check_parts(const Model* model, const ClusterGraph* graph, const std::string& name) {
  const Variant variant = variant_named(name);
  if (model == nullptr) throw UsageError("a planner needs a model; load_planner(RUN) loads one");
  const char* remedy = "; train it with: alps train DATA --out RUN";
  if (model->representation.empty()) throw Error("the run has no representation", remedy);
  if (variant.search && model->model.empty())
    throw Error("variant ", name, " needs a forward model, which the run does not have", remedy);
  if (variant.prior && model->prior.empty())
    throw Error("variant ", name, " needs a behaviour prior, which the run does not have", remedy);

  // models that were not read from a file have not been checked
  const size_t s = model->state_size(), z = model->eigenvectors(), a = model->action_size();
  const auto fits = [](const char* part, const Mlp& mlp, size_t inputs, size_t outputs) {
    if (!mlp.empty() && (mlp.inputs() != inputs || mlp.outputs() != outputs))
      throw Error("the network '", part, "' maps ", mlp.inputs(), " numbers to ", mlp.outputs(), ", expected ", inputs,
                  " to ", outputs);
  };
  fits("representation", model->representation, s, z);
  fits("model", model->model, s + a, s);
  fits("prior", model->prior, s + 2 * z, a);
  const size_t change = model->model.empty() ? 0 : s;
  if (s == 0 || a == 0 || model->deviation.size() != s || model->change_mean.size() != change ||
      model->change_deviation.size() != change)
    throw Error("the normalizer or the action limits of the model do not fit its networks");

  if (!variant.route) return;
  if (graph == nullptr)
    throw Error("variant ", name, " needs the cluster graph (RUN/graph.npz); make it with: alps train DATA --out RUN ",
                "--resume");
  if (graph->clusters() == 0 || graph->dim != z)
    throw Error("the cluster graph has ", graph->clusters(), " clusters of ", graph->dim, " dimensions, but psi has ",
                z, "; make the graph again with alps train");
}

}  // namespace

Planner::Planner(std::shared_ptr<const Model> model, std::shared_ptr<const ClusterGraph> graph,
                 const std::string& variant, const PlannerSettings& settings)
    : model_((check_parts(model.get(), graph.get(), variant), std::move(model))),
      graph_(std::move(graph)),
      variant_name_(variant),
      variant_(variant_named(variant)),
      settings_((check_settings(settings), settings)),
      precision_(precision_named(settings.precision)),
      spec_{model_->trunk.empty() ? Shape{model_->state_size()} : model_->trunk.image(), model_->image(),
            model_->actions},
      proposer_(*model_, settings_, variant_) {
  if (variant_.route) follower_.emplace(graph_, settings_);
  // a graph of another map says nothing about this one
  if (graph_ && graph_->dim != model_->eigenvectors()) graph_.reset();
}

void Planner::embed(const Observation& observation, std::span<float> psi) {
  state_.resize(model_->state_size());
  model_->observe(observation, state_);
  model_->psi(state_, psi);
}

void Planner::reset(Observation goal, Rng rng) {
  check_observation(spec_, goal);
  rng_ = rng;
  goal_psi_.resize(model_->eigenvectors());
  embed(goal, goal_psi_);
  goal_off_data_ = graph_ ? alps::off_data(*graph_, state_, goal_psi_) : -1;
  clip_goal();
  if (follower_) follower_->reset(goal_psi_);
  proposer_.reset();
  for (std::vector<float>& state : recent_) state.clear();
  decisions_ = 0;
  nudge_.assign(action_size(), 0.0f);
}

// what can never be reached is no part of the goal
void Planner::clip_goal() {
  if (!settings_.clip_goal || !graph_ || graph_->reached_low.size() != state_.size()) return;
  for (size_t k = 0; k < state_.size(); ++k)
    state_[k] = std::clamp(state_[k], graph_->reached_low[k], graph_->reached_high[k]);
  model_->psi(state_, goal_psi_);
}

Decision Planner::act(Observation observation) {
  Decision decision;
  act_into(observation, decision);
  return decision;
}

void Planner::act_into(Observation observation, Decision& decision) {
  if (goal_psi_.empty()) throw UsageError("the planner has no goal yet; call reset with a goal before act");
  check_observation(spec_, observation);
  const auto start = Clock::now();
  const std::chrono::microseconds budget(static_cast<int64_t>(1000 * settings_.budget_ms));
  const Deadline deadline = settings_.budget_ms > 0 ? start + budget : Deadline::max();

  // where it is, and which subgoal comes next
  decision.clear();
  decision.psi.resize(model_->eigenvectors());
  embed(observation, decision.psi);
  decision.goal_distance = std::sqrt(squared_distance(decision.psi, goal_psi_));
  if (follower_) {
    follower_->follow(decision);
  } else {
    decision.subgoal = goal_psi_;
    decision.subgoal_distance = decision.goal_distance;
  }
  if (graph_) decision.off_data = alps::off_data(*graph_, state_, decision.psi, decision.cluster);
  decision.goal_off_data = goal_off_data_;
  decision.embed_ms = milliseconds_since(start);

  // one slow block, on a machine that stood still for a moment, must not keep later decisions from searching at all
  std::atomic<std::chrono::nanoseconds> block_time(
      settings_.budget_ms > 0 ? std::min<std::chrono::nanoseconds>(block_time_, budget / 2) : block_time_);
  const RolloutParams rollout{.horizon = static_cast<size_t>(settings_.horizon),
                              .penalty = settings_.penalty,
                              .threads = settings_.threads,
                              .precision = precision_,
                              .deadline = deadline,
                              .block_time = &block_time};

  // the first plan, and a better one, unless search has been leading nowhere
  auto mark = Clock::now();
  const bool rests = variant_.prior && (!settings_.search || (follower_ && follower_->in_doubt()));
  const bool searches = variant_.search && !rests;
  proposer_.propose(*model_, state_, decision.subgoal, rollout, searches, proposal_);
  decision.kept_plan = proposal_.kept_plan;
  decision.propose_ms = milliseconds_since(mark);
  found_.plan = proposal_.plan;
  if (searches) {
    mark = Clock::now();
    search(decision, rollout);
    decision.best_costs = found_.best_costs;
    decision.elite_costs = found_.elite_costs;
    decision.search_ms = milliseconds_since(mark);
  }
  proposer_.acted_on(found_.plan);
  block_time_ = block_time.load();
  finish(decision);
  decision.total_ms = milliseconds_since(start);

  // for those who watch, and not part of the decision's time
  if (settings_.shown == 0 || model_->model.empty()) return;
  const size_t horizon = variant_.search ? settings_.horizon : 1;  // without a search, one action was proposed
  const auto plan = std::span(found_.plan).first(horizon * action_size());
  decision.imagined_plan = imagine(*model_, state_, plan, horizon, precision_);
  if (!searches) return;
  for (CemShown& s : found_.shown)
    decision.imagined.push_back(
        {s.elites, imagine(*model_, state_, s.actions, horizon, precision_), std::move(s.costs)});
}

void Planner::search(const Decision& decision, const RolloutParams& rollout) {
  const auto cost = [&](std::span<const float> actions, const Needed& needed, std::span<float> costs) {
    rollout_costs(*model_, state_, decision.subgoal, actions, rollout, needed, costs);
  };
  cem(search_params(settings_, variant_), action_size(), cost, rng_, found_, rollout.deadline, settings_.threads);
}

// from units of the action limit to those of the data
void Planner::finish(Decision& decision) {
  const size_t n = action_size();
  const std::span<const float> plan = found_.plan;
  nudge();
  for (size_t a = 0; a < n; ++a) decision.action.push_back(spec_.actions.clamped(a, plan[a] + nudge_[a]));
  decision.plan.assign(plan.begin(), plan.end());
  for (size_t i = 0; i < decision.plan.size(); ++i) decision.plan[i] = spec_.actions.from_unit(i % n, decision.plan[i]);
}

// Where the model is wrong, or the data went on in ways whose mean is to stay, the same decision would be taken again
// and again: noise for a moment where the state does not change at all, noise that is held for a while where the way
// has not become shorter for long. Held noise throws a body down that keeps its balance by many joints. Such a one gets
// the noise that the data were made with: then it goes through what they show, and gets up from the floor as they do.
void Planner::nudge() {
  constexpr int kEvery = 40, kHeld = 12;  // decisions
  const bool same = seen_recently();
  const int idle = follower_ ? follower_->idle() : 0;
  if (settings_.unrest > 0 && !same) {
    for (float& noise : nudge_) noise = idle > kEvery ? static_cast<float>(settings_.unrest * rng_.normal()) : 0.0f;
    return;
  }
  const int held = idle > kEvery ? idle % kEvery : 0;
  if (held > 1 && held <= kHeld) return;
  nudge_.assign(action_size(), 0.0f);
  if (settings_.nudge > 0 && (same || held == 1))
    for (float& noise : nudge_) noise = static_cast<float>(settings_.nudge * rng_.normal());
}

bool Planner::seen_recently() {
  const bool seen = std::ranges::find(recent_, state_) != recent_.end();
  recent_[decisions_++ % kRecent] = state_;
  return seen;
}

Planner load_planner(const std::filesystem::path& run, const LoadPlannerOptions& options) {
  const Variant variant = variant_named(options.variant);
  const auto stored = load_planner_profile(run).get<PlannerSettings>();
  const PlannerSettings settings = with_assignments(stored, options.set);
  auto model = std::make_shared<Model>(load_model(run));
  std::shared_ptr<ClusterGraph> graph;
  if (variant.route) graph = std::make_shared<ClusterGraph>(load_graph(run / "graph.npz"));
  return Planner(std::move(model), std::move(graph), options.variant, settings);
}

}  // namespace alps

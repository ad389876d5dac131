#include "alps/learn/hiql.h"

#include <cmath>

namespace alps {

at::Tensor with_root_length(const at::Tensor& x) {
  return x / x.norm(2, {1}, true) * std::sqrt(static_cast<double>(x.size(1)));
}

at::Tensor beside(const at::Tensor& a, const at::Tensor& b) { return at::cat({a, b}, 1); }

namespace {

at::Tensor stacked(const std::vector<StateAndGoal>& pairs) {
  std::vector<at::Tensor> rows;
  for (const auto& [state, goal] : pairs) rows.push_back(beside(state, goal));
  return at::cat(rows);
}

}  // namespace

std::vector<at::Tensor> represented(const Network& phi, const std::vector<StateAndGoal>& pairs) {
  const at::NoGradGuard no_grad;
  return with_root_length(phi.fixed(stacked(pairs))).chunk(static_cast<int64_t>(pairs.size()));
}

std::vector<at::Tensor> valued(const Twins& value, const std::vector<StateAndGoal>& pairs) {
  const at::NoGradGuard no_grad;
  return value.mean(stacked(pairs)).squeeze(1).chunk(static_cast<int64_t>(pairs.size()));
}

LevelLoss level_loss(const Twins& value, const Twins& target, const HiqlBatch& b, const at::Tensor& goal,
                     const at::Tensor& next_goal, double discount, double expectile) {
  const at::Tensor here = beside(b.states, goal);
  ValueTarget wanted;
  {
    const at::NoGradGuard no_grad;
    const auto [one, two] = target.fixed(at::cat({beside(b.next, next_goal), here}));
    const auto of_one = one.squeeze(1).chunk(2), of_two = two.squeeze(1).chunk(2);
    wanted = value_target(b.reached - 1, discount * (1 - b.reached), of_one[0], of_two[0], of_one[1], of_two[1]);
  }
  const auto [one, two] = value.forward(here);
  return {.loss = value_loss(wanted, one.squeeze(1), two.squeeze(1), expectile), .value = one.mean()};
}

Loss hiql_loss(const HiqlNetworks& networks, const HiqlBatch& b, double discount, double expectile,
               const HiqlSettings& settings) {
  const at::Tensor goal = with_root_length(networks.phi.forward(beside(b.states, b.value_goals)));
  const auto phi = represented(networks.phi, {{b.next, b.value_goals},
                                              {b.states, b.low_goals},
                                              {b.next, b.low_goals},
                                              {b.states, b.high_goals},
                                              {b.subgoals, b.high_goals},
                                              {b.states, b.subgoals}});
  const at::Tensor &low_goal = phi[1], &subgoal = phi[5];
  const auto [value, first] = level_loss(networks.value, networks.target, b, goal, phi[0], discount, expectile);

  // how much nearer one step brought to the subgoal, and the way to the subgoal to the goal
  const auto values =
      valued(networks.value, {{b.states, phi[1]}, {b.next, phi[2]}, {b.states, phi[3]}, {b.subgoals, phi[4]}});
  const at::Tensor low_better = values[1] - values[0], high_better = values[3] - values[2];
  const at::Tensor low =
      awr_loss(networks.low_actor.forward(beside(b.states, low_goal)), b.actions, low_better, settings.low_awr);
  const at::Tensor high =
      awr_loss(networks.high_actor.forward(beside(b.states, b.high_goals)), subgoal, high_better, settings.high_awr);
  return {value + low + high,
          {{"value_loss", value},
           {"low_loss", low},
           {"high_loss", high},
           {"value", first},
           {"low_advantage", low_better.mean()},
           {"high_advantage", high_better.mean()}}};
}

// as OGBench does: the way to a random goal is taken to be where the data went
HiqlBatch LevelsPart::draw_levels(const Split& split, Rng rng, size_t subgoal_steps) {
  const Stopwatch watch(sampling_seconds);
  const Sampler& sampler = split.sampler();
  const auto positions = sampler.positions(rng, settings_.agent_batch);
  const auto value_goals =
      mixed_goals(rng, sampler, positions, {settings_.value_current, settings_.value_random, settings_.discount});
  const auto any = sampler.uniform(rng, positions.size());
  std::vector<size_t> from, to, low, high, subgoals;
  std::vector<float> reached;
  for (size_t i = 0; i < positions.size(); ++i) {
    const auto [row, remaining] = positions[i];
    from.push_back(row);
    to.push_back(row + 1);
    reached.push_back(row == value_goals[i] ? 1.0f : 0.0f);
    low.push_back(row + std::min(subgoal_steps, remaining));
    const size_t ahead = steps_ahead(rng, 0, remaining);
    const bool random = rng.uniform() < settings_.actor_random;
    high.push_back(random ? any[i] : row + ahead);
    subgoals.push_back(row + std::min(subgoal_steps, random ? remaining : ahead));
  }
  const at::Device device = context_.compute.device;
  const auto states = [&](const std::vector<size_t>& rows) { return split.states(rows).to(device); };
  return {.states = states(from),
          .next = states(to),
          .actions = split.actions(from).to(device),
          .reached = to_tensor(reached, {static_cast<int64_t>(reached.size())}, device),
          .value_goals = states(value_goals),
          .low_goals = states(low),
          .high_goals = states(high),
          .subgoals = states(subgoals)};
}

namespace {

class Hiql : public LevelsPart {
 public:
  explicit Hiql(const PartContext& c) : LevelsPart(c), hiql_(c.profile.get<HiqlSettings>()), networks_(start(c)) {}

  void finish() override {
    Bundle& bundle = context_.bundle;
    bundle.leave("goal", networks_.phi.to_mlp(), "state, state of the goal -> goal (its length is set)");
    leave_twins("value", networks_.value, "state, goal -> -steps, discounted");
    bundle.leave("high_actor", networks_.high_actor.to_mlp(), "state, state of the goal -> goal some steps ahead");
    bundle.leave("low_actor", networks_.low_actor.to_mlp(), "state, goal -> action");
  }

 private:
  HiqlNetworks start(const PartContext& c) const {
    const int64_t states = state_size(), goal = hiql_.goal_numbers;
    Twins value(value_shape(states + goal), c.rng.fork(1), exact());
    Twins target = value.copy();
    return {Network(value_shape(2 * states, goal), c.rng.fork(0), exact()), std::move(value), std::move(target),
            Network(actor_shape(2 * states, goal), c.rng.fork(2), c.compute),
            Network(actor_shape(states + goal, action_size()), c.rng.fork(3), c.compute)};
  }
  std::vector<NamedTensor> parameters() const override {
    return joined({networks_.phi.parameters("goal"), networks_.value.parameters("value"),
                   networks_.high_actor.parameters("high_actor"), networks_.low_actor.parameters("low_actor")});
  }
  std::vector<NamedTensor> more_state() const override { return networks_.target.parameters("target"); }
  void after_step(double) override { networks_.target.follow(networks_.value, expectile_.tau); }

  Loss loss(const Split& split, Rng rng) override {
    return hiql_loss(networks_, draw_levels(split, rng, hiql_.subgoal_steps), settings_.discount, expectile_.expectile,
                     hiql_);
  }

  const HiqlSettings hiql_;
  HiqlNetworks networks_;
};

void preset(Profile& profile, std::string_view name, const Survey& survey) {
  agent_preset(profile, name, survey);
  if (many_joints(survey))
    profile.set("subgoal_steps", 100, Origin::kMeasured, str(survey.actions, " actions: many small steps"));
  if (!explores(survey)) return;
  for (const char* key : {"high_awr", "low_awr"})
    profile.set(key, 10.0, Origin::kMeasured,
                str("a share of ", survey.at_limit, " of the actions lies at the limits"));
}

}  // namespace

PartKind hiql_part() {
  return {.name = "agent",
          .networks = {"goal", "value_one", "value_two", "high_actor", "low_actor"},
          .needs = {},
          .columns = {"value_loss", "low_loss", "high_loss", "value", "low_advantage", "high_advantage"},
          .declare =
              [](Profile& p) {
                p.add<AgentSettings>("agent");
                p.add<ExpectileSettings>("agent", {.expectile = 0.7});
                p.add<HiqlSettings>("agent");
              },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<Hiql>(c); }};
}

}  // namespace alps

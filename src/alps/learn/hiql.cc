#include "alps/learn/hiql.h"

#include <cmath>

namespace alps {

at::Tensor with_root_length(const at::Tensor& x) {
  return x / x.norm(2, {1}, true) * std::sqrt(static_cast<double>(x.size(1)));
}

namespace {

at::Tensor beside(const at::Tensor& a, const at::Tensor& b) { return at::cat({a, b}, 1); }

}  // namespace

Loss hiql_loss(const HiqlNetworks& networks, const HiqlBatch& b, double discount, double expectile,
               const HiqlSettings& settings) {
  const at::Tensor reward = b.reached - 1, go_on = discount * (1 - b.reached);
  const at::Tensor goal = with_root_length(networks.phi.forward(beside(b.states, b.value_goals)));
  at::Tensor q_one, q_two, advantage, low_goal, subgoal, low_better, high_better;
  {
    const at::NoGradGuard no_grad;
    // representations of six pairs in one pass
    const auto phi =
        with_root_length(networks.phi.fixed(at::cat({beside(b.next, b.value_goals), beside(b.states, b.low_goals),
                                                     beside(b.next, b.low_goals), beside(b.states, b.high_goals),
                                                     beside(b.subgoals, b.high_goals), beside(b.states, b.subgoals)})))
            .chunk(6);
    low_goal = phi[1];
    subgoal = phi[5];

    // the target, as GCIVL has it
    const auto [one, two] = networks.target.fixed(at::cat({beside(b.next, phi[0]), beside(b.states, goal)}));
    const auto of_one = one.squeeze(1).chunk(2), of_two = two.squeeze(1).chunk(2);
    advantage = reward + go_on * at::minimum(of_one[0], of_two[0]) - (of_one[1] + of_two[1]) / 2;
    q_one = reward + go_on * of_one[0];
    q_two = reward + go_on * of_two[0];

    // how much nearer one step brought to the subgoal, and the way to the subgoal to the goal
    const auto value = networks.value
                           .mean(at::cat({beside(b.states, phi[1]), beside(b.next, phi[2]), beside(b.states, phi[3]),
                                          beside(b.subgoals, phi[4])}))
                           .squeeze(1)
                           .chunk(4);
    low_better = value[1] - value[0];
    high_better = value[3] - value[2];
  }
  const auto [one, two] = networks.value.forward(beside(b.states, goal));
  const at::Tensor value = expectile_loss(advantage, q_one - one.squeeze(1), expectile) +
                           expectile_loss(advantage, q_two - two.squeeze(1), expectile);
  const at::Tensor low =
      awr_loss(networks.low_actor.forward(beside(b.states, low_goal)), b.actions, low_better, settings.low_awr);
  const at::Tensor high =
      awr_loss(networks.high_actor.forward(beside(b.states, b.high_goals)), subgoal, high_better, settings.high_awr);
  return {value + low + high,
          {{"value_loss", value},
           {"low_loss", low},
           {"high_loss", high},
           {"value", one.mean()},
           {"low_advantage", low_better.mean()},
           {"high_advantage", high_better.mean()}}};
}

namespace {

class Hiql : public AgentPart {
 public:
  explicit Hiql(const PartContext& c)
      : AgentPart(c),
        hiql_(c.profile.get<HiqlSettings>()),
        expectile_(c.profile.get<ExpectileSettings>()),
        networks_(start(c)) {}

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
    return hiql_loss(networks_, draw_levels(split, rng), settings_.discount, expectile_.expectile, hiql_);
  }

  // as OGBench does: the way to a random goal is taken to be where the data went
  HiqlBatch draw_levels(const Split& split, Rng rng) {
    const Stopwatch watch(sampling_seconds);
    const Sampler& sampler = split.sampler();
    const auto positions = sampler.positions(rng, settings_.agent_batch);
    const auto value_goals =
        mixed_goals(rng, sampler, positions, {settings_.value_current, settings_.value_random, settings_.discount});
    const auto any = sampler.uniform(rng, positions.size());
    const size_t far = hiql_.subgoal_steps;
    std::vector<size_t> from, to, low, high, subgoals;
    std::vector<float> reached;
    for (size_t i = 0; i < positions.size(); ++i) {
      const auto [row, remaining] = positions[i];
      from.push_back(row);
      to.push_back(row + 1);
      reached.push_back(row == value_goals[i] ? 1.0f : 0.0f);
      low.push_back(row + std::min(far, remaining));
      const size_t ahead = steps_ahead(rng, 0, remaining);
      const bool random = rng.uniform() < settings_.actor_random;
      high.push_back(random ? any[i] : row + ahead);
      subgoals.push_back(row + std::min(far, random ? remaining : ahead));
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

  const HiqlSettings hiql_;
  const ExpectileSettings expectile_;
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

#include "alps/learn/saw.h"

namespace alps {

Loss saw_loss(const SawNetworks& networks, const HiqlBatch& b, double discount, double expectile,
              const SawSettings& settings) {
  const at::Tensor goal = with_root_length(networks.phi.forward(beside(b.states, b.value_goals)));
  const auto phi = represented(networks.phi, {{b.next, b.value_goals},
                                              {b.states, b.low_goals},
                                              {b.next, b.low_goals},
                                              {b.states, b.high_goals},
                                              {b.next, b.high_goals},
                                              {b.subgoals, b.high_goals}});
  const auto [value, first] = level_loss(networks.value, networks.target, b, goal, phi[0], discount, expectile);

  // how much nearer one step brought, and the way to the subgoal
  const auto values =
      valued(networks.value,
             {{b.states, phi[1]}, {b.next, phi[2]}, {b.states, phi[3]}, {b.next, phi[4]}, {b.subgoals, phi[5]}});
  const at::Tensor low_better = values[1] - values[0], better = values[3] - values[2],
                   way_better = values[4] - values[2];
  const at::Tensor low =
      awr_loss(networks.low_actor.forward(beside(b.states, b.low_goals)), b.actions, low_better, settings.low_awr);

  const at::Tensor seen = with_root_length(networks.actor_goal.forward(beside(b.states, b.high_goals)));
  const at::Tensor wishes = networks.actor.forward(beside(b.states, seen));
  const at::Tensor imitation = awr_loss(wishes, b.actions, better, settings.awr);
  at::Tensor taught;
  {
    const at::NoGradGuard no_grad;
    taught = networks.low_actor.fixed(beside(b.states, b.subgoals));
  }
  // squared differences, as they have it, not their halves
  const at::Tensor way = 2 * awr_loss(wishes, taught, way_better, settings.way_awr);
  return {value + low + imitation + way,
          {{"value_loss", value},
           {"low_loss", low},
           {"actor_loss", imitation},
           {"way_loss", way},
           {"value", first},
           {"way_advantage", way_better.mean()}}};
}

namespace {

class Saw : public LevelsPart {
 public:
  explicit Saw(const PartContext& c) : LevelsPart(c), saw_(c.profile.get<SawSettings>()), networks_(start(c)) {}

  void finish() override {
    Bundle& bundle = context_.bundle;
    bundle.leave("goal", networks_.phi.to_mlp(), "state, state of the goal -> goal for the value (its length is set)");
    leave_twins("value", networks_.value, "state, goal -> -steps, discounted");
    bundle.leave("actor_goal", networks_.actor_goal.to_mlp(), "state, state of the goal -> goal for the actor");
    bundle.leave("actor", networks_.actor.to_mlp(), "state, goal for the actor -> action");
  }

 private:
  SawNetworks start(const PartContext& c) const {
    const int64_t states = state_size(), goal = saw_.goal_numbers, actions = action_size();
    Twins value(value_shape(states + goal), c.rng.fork(1), exact());
    Twins target = value.copy();
    return {Network(value_shape(2 * states, goal), c.rng.fork(0), exact()),
            std::move(value),
            std::move(target),
            Network(value_shape(2 * states, goal), c.rng.fork(2), exact()),
            Network(actor_shape(states + goal, actions), c.rng.fork(3), c.compute),
            Network(actor_shape(2 * states, actions), c.rng.fork(4), c.compute)};
  }
  std::vector<NamedTensor> parameters() const override {
    return joined({networks_.phi.parameters("goal"), networks_.value.parameters("value"),
                   networks_.actor_goal.parameters("actor_goal"), networks_.actor.parameters("actor"),
                   networks_.low_actor.parameters("low_actor")});
  }
  std::vector<NamedTensor> more_state() const override { return networks_.target.parameters("target"); }
  void after_step(double) override { networks_.target.follow(networks_.value, expectile_.tau); }
  Loss loss(const Split& split, Rng rng) override {
    return saw_loss(networks_, draw_levels(split, rng, saw_.subgoal_steps), settings_.discount, expectile_.expectile,
                    saw_);
  }

  const SawSettings saw_;
  SawNetworks networks_;
};

void preset(Profile& profile, std::string_view name, const Survey& survey) {
  agent_preset(profile, name, survey);
  if (many_joints(survey))
    profile.set("subgoal_steps", 100, Origin::kMeasured, str(survey.actions, " actions: many small steps"));
}

}  // namespace

PartKind saw_part() {
  return {.name = "agent",
          .networks = {"goal", "value_one", "value_two", "actor_goal", "actor"},
          .needs = {},
          .columns = {"value_loss", "low_loss", "actor_loss", "way_loss", "value", "way_advantage"},
          .declare =
              [](Profile& p) {
                p.add<AgentSettings>("agent");
                p.add<ExpectileSettings>("agent", {.expectile = 0.7});
                p.add<SawSettings>("agent");
              },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<Saw>(c); }};
}

}  // namespace alps

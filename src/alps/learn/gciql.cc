#include "alps/learn/gciql.h"

namespace alps {

Loss gciql_loss(const GciqlNetworks& networks, const GoalBatch& b, double discount, double expectile,
                double bc_weight) {
  const at::Tensor here = at::cat({b.states, b.value_goals}, 1), acted = at::cat({here, b.actions}, 1);
  at::Tensor least, q;
  {
    const at::NoGradGuard no_grad;
    const auto [one, two] = networks.target.fixed(acted);
    least = at::minimum(one, two).squeeze(1);
    const at::Tensor next = networks.value.fixed(at::cat({b.next, b.value_goals}, 1)).squeeze(1);
    q = b.reached - 1 + discount * (1 - b.reached) * next;
  }
  const at::Tensor v = networks.value.forward(here).squeeze(1);
  const at::Tensor value = expectile_loss(least - v, least - v, expectile);

  const auto [one, two] = networks.critic.forward(acted);
  const at::Tensor critic = ((one.squeeze(1) - q).square() + (two.squeeze(1) - q).square()).mean();

  const at::Tensor there = at::cat({b.states, b.actor_goals}, 1);
  const at::Tensor wishes = networks.actor.forward(there);
  const auto [wish_one, wish_two] = networks.critic.fixed(at::cat({there, wishes.clamp(-1, 1)}, 1));
  const at::Tensor actor = ddpg_bc_loss(at::minimum(wish_one, wish_two).squeeze(1), wishes, b.actions, bc_weight);
  return {value + critic + actor,
          {{"value_loss", value}, {"critic_loss", critic}, {"actor_loss", actor}, {"value", v.mean()}}};
}

namespace {

class Gciql : public AgentPart {
 public:
  explicit Gciql(const PartContext& c)
      : AgentPart(c),
        gciql_(c.profile.get<GciqlSettings>()),
        expectile_(c.profile.get<ExpectileSettings>()),
        networks_(start(c)) {}

  void finish() override {
    context_.bundle.leave("value", networks_.value.to_mlp(), "state, state of the goal -> -steps, discounted");
    leave_twins("critic", networks_.critic, "state, state of the goal, action -> -steps, discounted");
    context_.bundle.leave("actor", networks_.actor.to_mlp(), "state, state of the goal -> action");
  }

 private:
  GciqlNetworks start(const PartContext& c) const {
    const int64_t pair = 2 * state_size();
    Twins critic(value_shape(pair + action_size()), c.rng.fork(1), exact());
    Twins target = critic.copy();
    return {Network(value_shape(pair), c.rng.fork(0), exact()), std::move(critic), std::move(target),
            Network(actor_shape(pair, action_size()), c.rng.fork(2), c.compute)};
  }
  std::vector<NamedTensor> parameters() const override {
    return joined({networks_.value.parameters("value"), networks_.critic.parameters("critic"),
                   networks_.actor.parameters("actor")});
  }
  std::vector<NamedTensor> more_state() const override { return networks_.target.parameters("target"); }
  void after_step(double) override { networks_.target.follow(networks_.critic, expectile_.tau); }
  Loss loss(const Split& split, Rng rng) override {
    return gciql_loss(networks_, draw(split, rng, settings_.discount), settings_.discount, expectile_.expectile,
                      gciql_.bc_weight);
  }

  const GciqlSettings gciql_;
  const ExpectileSettings expectile_;
  GciqlNetworks networks_;
};

void preset(Profile& profile, std::string_view name, const Survey& survey) {
  agent_preset(profile, name, survey);
  if (moves_directly(survey))
    profile.set("bc_weight", 0.003, Origin::kMeasured, str("directness ", survey.directness));
  else if (explores(survey))
    profile.set("bc_weight", 0.01, Origin::kMeasured,
                str("a share of ", survey.at_limit, " of the actions lies at the limits"));
  else if (many_joints(survey))
    profile.set("bc_weight", 0.1, Origin::kMeasured, str(survey.actions, " actions"));
}

}  // namespace

PartKind gciql_part() {
  return {.name = "agent",
          .networks = {"value", "critic_one", "critic_two", "actor"},
          .needs = {},
          .columns = {"value_loss", "critic_loss", "actor_loss", "value"},
          .declare =
              [](Profile& p) {
                p.add<AgentSettings>("agent");
                p.add<ExpectileSettings>("agent");
                p.add<GciqlSettings>("agent");
              },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<Gciql>(c); }};
}

}  // namespace alps

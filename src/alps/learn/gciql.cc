#include "alps/learn/gciql.h"

namespace alps {

CriticLoss critic_loss(const GciqlNetworks& networks, const CriticBatch& b, double expectile) {
  const at::Tensor here = at::cat({b.states, b.value_goals}, 1), acted = at::cat({here, b.actions}, 1);
  at::Tensor least, q;
  {
    const at::NoGradGuard no_grad;
    const auto [one, two] = networks.target.fixed(acted);
    least = at::minimum(one, two).squeeze(1);
    q = b.reward + b.go_on * networks.value.fixed(at::cat({b.next, b.value_goals}, 1)).squeeze(1);
  }
  const at::Tensor v = networks.value.forward(here).squeeze(1);
  const auto [one, two] = networks.critic.forward(acted);
  return {.value = expectile_loss(least - v, least - v, expectile),
          .critic = ((one.squeeze(1) - q).square() + (two.squeeze(1) - q).square()).mean(),
          .of_state = v,
          .least = least};
}

Loss climbing_loss(const GciqlNetworks& networks, const CriticBatch& b, double expectile, double bc_weight) {
  const CriticLoss values = critic_loss(networks, b, expectile);
  const at::Tensor there = at::cat({b.states, b.actor_goals}, 1);
  const at::Tensor wishes = networks.actor.forward(there);
  const auto [wish_one, wish_two] = networks.critic.fixed(at::cat({there, wishes.clamp(-1, 1)}, 1));
  const at::Tensor actor = ddpg_bc_loss(at::minimum(wish_one, wish_two).squeeze(1), wishes, b.actions, bc_weight);
  return {values.value + values.critic + actor,
          {{"value_loss", values.value},
           {"critic_loss", values.critic},
           {"actor_loss", actor},
           {"value", values.of_state.mean()}}};
}

Loss gciql_loss(const GciqlNetworks& networks, const GoalBatch& b, double discount, double expectile,
                double bc_weight) {
  return climbing_loss(
      networks, {b.states, b.next, b.actions, b.value_goals, b.actor_goals, b.reached - 1, discount * (1 - b.reached)},
      expectile, bc_weight);
}

CriticPart::CriticPart(const PartContext& c, int64_t goal, std::string goal_words)
    : AgentPart(c),
      expectile_(c.profile.get<ExpectileSettings>()),
      networks_(start(c, goal)),
      goal_words_(std::move(goal_words)) {}

GciqlNetworks CriticPart::start(const PartContext& c, int64_t goal) const {
  const int64_t pair = state_size() + goal;
  Twins critic(value_shape(pair + action_size()), c.rng.fork(1), exact());
  Twins target = critic.copy();
  return {Network(value_shape(pair), c.rng.fork(0), exact()), std::move(critic), std::move(target),
          Network(actor_shape(pair, action_size()), c.rng.fork(2), c.compute)};
}

std::vector<NamedTensor> CriticPart::parameters() const {
  return joined({networks_.value.parameters("value"), networks_.critic.parameters("critic"),
                 networks_.actor.parameters("actor")});
}

void CriticPart::finish() {
  context_.bundle.leave("value", networks_.value.to_mlp(), str("state, ", goal_words_, " -> rewards, discounted"));
  leave_twins("critic", networks_.critic, str("state, ", goal_words_, ", action -> rewards, discounted"));
  context_.bundle.leave("actor", networks_.actor.to_mlp(), str("state, ", goal_words_, " -> action"));
}

namespace {

class Gciql : public CriticPart {
 public:
  explicit Gciql(const PartContext& c)
      : CriticPart(c, static_cast<int64_t>(c.data.train->state_size()), "state of the goal"),
        gciql_(c.profile.get<GciqlSettings>()) {}

 private:
  Loss loss(const Split& split, Rng rng) override {
    return gciql_loss(networks_, draw(split, rng, settings_.discount), settings_.discount, expectile_.expectile,
                      gciql_.bc_weight);
  }

  const GciqlSettings gciql_;
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

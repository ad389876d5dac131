#include "alps/learn/gcivl.h"

namespace alps {

Loss gcivl_loss(const GcivlNetworks& networks, const GoalBatch& b, double discount, double expectile, double awr) {
  const at::Tensor here = at::cat({b.states, b.value_goals}, 1);
  ValueTarget target;
  at::Tensor better;
  {
    const at::NoGradGuard no_grad;
    const auto [one, two] = networks.target.fixed(at::cat({at::cat({b.next, b.value_goals}, 1), here}));
    const auto of_one = one.squeeze(1).chunk(2), of_two = two.squeeze(1).chunk(2);
    target = value_target(b.reached - 1, discount * (1 - b.reached), of_one[0], of_two[0], of_one[1], of_two[1]);
    const auto values =
        networks.value.mean(at::cat({at::cat({b.next, b.actor_goals}, 1), at::cat({b.states, b.actor_goals}, 1)}))
            .squeeze(1)
            .chunk(2);
    better = values[0] - values[1];
  }
  const auto [one, two] = networks.value.forward(here);
  const at::Tensor value = value_loss(target, one.squeeze(1), two.squeeze(1), expectile);
  const at::Tensor actor =
      awr_loss(networks.actor.forward(at::cat({b.states, b.actor_goals}, 1)), b.actions, better, awr);
  return {value + actor,
          {{"value_loss", value}, {"actor_loss", actor}, {"value", one.mean()}, {"advantage", better.mean()}}};
}

namespace {

class Gcivl : public AgentPart {
 public:
  explicit Gcivl(const PartContext& c)
      : AgentPart(c),
        gcivl_(c.profile.get<GcivlSettings>()),
        expectile_(c.profile.get<ExpectileSettings>()),
        networks_(start(c)) {}

  void finish() override {
    leave_twins("value", networks_.value, "state, state of the goal -> -steps, discounted");
    context_.bundle.leave("actor", networks_.actor.to_mlp(), "state, state of the goal -> action");
  }

 private:
  GcivlNetworks start(const PartContext& c) const {
    Twins value(value_shape(2 * state_size()), c.rng.fork(0), exact());
    Twins target = value.copy();
    return {std::move(value), std::move(target),
            Network(actor_shape(2 * state_size(), action_size()), c.rng.fork(1), c.compute)};
  }
  std::vector<NamedTensor> parameters() const override {
    return joined({networks_.value.parameters("value"), networks_.actor.parameters("actor")});
  }
  std::vector<NamedTensor> more_state() const override { return networks_.target.parameters("target"); }
  Loss loss(const Split& split, Rng rng) override {
    return gcivl_loss(networks_, draw(split, rng, settings_.discount), settings_.discount, expectile_.expectile,
                      gcivl_.awr);
  }
  void after_step(double) override { networks_.target.follow(networks_.value, expectile_.tau); }

  const GcivlSettings gcivl_;
  const ExpectileSettings expectile_;
  GcivlNetworks networks_;
};

}  // namespace

PartKind gcivl_part() {
  return {.name = "agent",
          .networks = {"value_one", "value_two", "actor"},
          .needs = {},
          .columns = {"value_loss", "actor_loss", "value", "advantage"},
          .declare =
              [](Profile& p) {
                p.add<AgentSettings>("agent");
                p.add<ExpectileSettings>("agent");
                p.add<GcivlSettings>("agent");
              },
          .preset = agent_preset,
          .make = [](const PartContext& c) { return std::make_unique<Gcivl>(c); }};
}

}  // namespace alps

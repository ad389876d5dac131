#include "alps/learn/distance.h"

namespace alps {

at::Tensor latent_distance(const at::Tensor& from, const at::Tensor& to) {
  return (from - to).square().sum(1).clamp_min(1e-6).sqrt();
}

Loss distance_loss(const DistanceNetworks& networks, const GoalBatch& b, double discount, double expectile) {
  ValueTarget target;
  {
    const at::NoGradGuard no_grad;
    const auto [one, two] = networks.target.fixed(at::cat({b.next, b.states, b.value_goals}));
    const auto of_one = one.chunk(3), of_two = two.chunk(3);
    target = value_target(b.reached - 1, discount * (1 - b.reached), -latent_distance(of_one[0], of_one[2]),
                          -latent_distance(of_two[0], of_two[2]), -latent_distance(of_one[1], of_one[2]),
                          -latent_distance(of_two[1], of_two[2]));
  }
  const auto [one, two] = networks.phi.forward(at::cat({b.states, b.value_goals}));
  const auto of_one = one.chunk(2), of_two = two.chunk(2);
  const at::Tensor far = latent_distance(of_one[0], of_one[1]);
  const at::Tensor loss = value_loss(target, -far, -latent_distance(of_two[0], of_two[1]), expectile);
  return {loss, {{"distance", far.mean()}, {"advantage", target.advantage.mean()}}};
}

namespace {

class Distance : public AgentPart {
 public:
  explicit Distance(const PartContext& c)
      : AgentPart(c),
        distance_(c.profile.get<DistanceSettings>()),
        tau_(c.profile.get<ExpectileSettings>().tau),
        networks_(start(c)) {}

  void finish() override { context_.bundle.leave("phi", networks_.phi.one.to_mlp(), "state -> latent"); }

 private:
  DistanceNetworks start(const PartContext& c) const {
    Twins phi(value_shape(state_size(), distance_.latent), c.rng.fork(0), exact());
    Twins target = phi.copy();
    return {std::move(phi), std::move(target)};
  }
  std::vector<NamedTensor> parameters() const override { return networks_.phi.parameters("phi"); }
  std::vector<NamedTensor> more_state() const override { return networks_.target.parameters("target"); }
  void after_step(double) override { networks_.target.follow(networks_.phi, tau_); }
  Loss loss(const Split& split, Rng rng) override {
    return distance_loss(networks_, draw(split, rng, settings_.discount), settings_.discount,
                         distance_.distance_expectile);
  }

  const DistanceSettings distance_;
  const double tau_;
  DistanceNetworks networks_;
};

void preset(Profile& profile, std::string_view name, const Survey& survey) {
  agent_preset(profile, name, survey);
  // two parts share what the others have for one
  if (name != "paper") profile.set("agent_steps", 45'000, Origin::kPreset);
  profile.set("actor_random", 0.0, Origin::kPreset, "the actor is told directions, not states");
}

}  // namespace

PartKind distance_part(double distance_expectile) {
  return {.name = "distance",
          .networks = {"phi"},
          .needs = {},
          .columns = {"distance", "advantage"},
          .declare =
              [distance_expectile](Profile& p) {
                // goals are never the state itself, of which the distance is zero anyway
                p.add<AgentSettings>("agent", {.value_current = 0, .value_random = 0.375});
                p.add<DistanceSettings>("distance", {.distance_expectile = distance_expectile});
              },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<Distance>(c); }};
}

}  // namespace alps

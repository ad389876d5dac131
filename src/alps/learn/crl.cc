#include "alps/learn/crl.h"

#include <cmath>

namespace alps {
namespace {

// mean over all pairs of the batch of the binary cross entropy: goals of the same example are 1, of others 0
at::Tensor contrast(const at::Tensor& logits) {
  return (at::softplus(logits).sum() - logits.diagonal().sum()) / logits.numel();
}

}  // namespace

Loss crl_loss(const CrlNetworks& networks, const GoalBatch& b, double bc_weight) {
  const auto [phi_one, phi_two] = networks.phi.forward(at::cat({b.states, b.actions}, 1));
  const auto [psi_one, psi_two] = networks.psi.forward(b.value_goals);
  const double root = std::sqrt(static_cast<double>(phi_one.size(1)));
  const at::Tensor one = phi_one.matmul(psi_one.t()) / root, two = phi_two.matmul(psi_two.t()) / root;
  const at::Tensor critic = (contrast(one) + contrast(two)) / 2;

  const at::Tensor wishes = networks.actor.forward(at::cat({b.states, b.actor_goals}, 1));
  at::Tensor goal_one, goal_two;
  {
    const at::NoGradGuard no_grad;
    std::tie(goal_one, goal_two) = networks.psi.fixed(b.actor_goals);
  }
  const auto [wish_one, wish_two] = networks.phi.fixed(at::cat({b.states, wishes.clamp(-1, 1)}, 1));
  const at::Tensor q = at::minimum((wish_one * goal_one).sum(1), (wish_two * goal_two).sum(1)) / root;
  const at::Tensor actor = ddpg_bc_loss(q, wishes, b.actions, bc_weight);

  const at::Tensor found = (one.detach().diagonal() > 0).to(at::kFloat).mean();
  return {critic + actor, {{"critic_loss", critic}, {"actor_loss", actor}, {"q", q.mean()}, {"found", found}}};
}

namespace {

class Crl : public AgentPart {
 public:
  explicit Crl(const PartContext& c) : AgentPart(c), crl_(c.profile.get<CrlSettings>()), networks_(start(c)) {}

  void finish() override {
    leave_twins("phi", networks_.phi, "state, action -> latent");
    leave_twins("psi", networks_.psi, "state of the goal -> latent");
    context_.bundle.leave("actor", networks_.actor.to_mlp(), "state, state of the goal -> action");
  }

 private:
  CrlNetworks start(const PartContext& c) const {
    return {Twins(value_shape(state_size() + action_size(), crl_.latent), c.rng.fork(0), exact()),
            Twins(value_shape(state_size(), crl_.latent), c.rng.fork(1), exact()),
            Network(actor_shape(2 * state_size(), action_size()), c.rng.fork(2), c.compute)};
  }
  std::vector<NamedTensor> parameters() const override {
    return joined(
        {networks_.phi.parameters("phi"), networks_.psi.parameters("psi"), networks_.actor.parameters("actor")});
  }
  Loss loss(const Split& split, Rng rng) override {
    return crl_loss(networks_, draw(split, rng, settings_.discount), crl_.bc_weight);
  }

  const CrlSettings crl_;
  CrlNetworks networks_;
};

void preset(Profile& profile, std::string_view name, const Survey& survey) {
  agent_preset(profile, name, survey);
  if (name != "paper") profile.set("latent", 128, Origin::kPreset);
  if (moves_directly(survey))
    profile.set("bc_weight", 0.03, Origin::kMeasured, str("directness ", survey.directness));
  else if (explores(survey))
    profile.set("bc_weight", 0.003, Origin::kMeasured,
                str("a share of ", survey.at_limit, " of the actions lies at the limits"));
}

}  // namespace

PartKind crl_part() {
  return {.name = "agent",
          .networks = {"phi_one", "phi_two", "psi_one", "psi_two", "actor"},
          .needs = {},
          .columns = {"critic_loss", "actor_loss", "q", "found"},
          .declare =
              [](Profile& p) {
                p.add<AgentSettings>("agent", {.value_current = 0, .value_random = 0});
                p.add<CrlSettings>("agent");
              },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<Crl>(c); }};
}

}  // namespace alps

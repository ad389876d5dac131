#include "alps/learn/qrl.h"

#include "alps/learn/iqe.h"

namespace alps {

at::Tensor QrlNetworks::distance(const at::Tensor& from, const at::Tensor& to) const {
  return iqe_distance(from, to, kIqeGroup, alpha.sigmoid());
}

Loss qrl_loss(const QrlNetworks& networks, const GoalBatch& b, double margin, double bc_weight) {
  constexpr double kFar = 500, kSoft = 100;  // beyond about kFar steps there is little more to gain
  const auto latent = networks.phi.forward(at::cat({b.states, b.next, b.value_goals})).chunk(3);
  const at::Tensor &here = latent[0], &next = latent[1];
  const at::Tensor far = networks.distance(here, latent[2]);
  const at::Tensor push = kSoft * at::softplus((kFar - far) / kSoft).mean();
  const at::Tensor step = networks.distance(here, next);
  const at::Tensor excess = (step - 1).relu().square().mean();
  const at::Tensor multiplier = networks.log_multiplier.exp();
  const at::Tensor value =
      push + excess * multiplier.detach().squeeze(0) + multiplier.squeeze(0) * (margin - excess.detach());

  const at::Tensor imagined = here + networks.dynamics.forward(at::cat({here, b.actions}, 1));
  const at::Tensor dynamics = (networks.distance(next, imagined) + networks.distance(imagined, next)).mean() / 2;

  const at::Tensor wishes = networks.actor.forward(at::cat({b.states, b.actor_goals}, 1));
  const at::Tensor from = here.detach(), alpha = networks.alpha.detach().sigmoid();
  const at::Tensor then = from + networks.dynamics.fixed(at::cat({from, wishes.clamp(-1, 1)}, 1));
  at::Tensor goal;
  {
    const at::NoGradGuard no_grad;
    goal = networks.phi.fixed(b.actor_goals);
  }
  const at::Tensor q = -iqe_distance(then, goal, kIqeGroup, alpha);
  const at::Tensor actor = ddpg_bc_loss(q, wishes, b.actions, bc_weight);
  return {value + dynamics + actor,
          {{"far_loss", push},
           {"excess", excess},
           {"multiplier", multiplier.squeeze(0)},
           {"dynamics_loss", dynamics},
           {"actor_loss", actor},
           {"distance", far.mean()}}};
}

namespace {

class Qrl : public AgentPart {
 public:
  explicit Qrl(const PartContext& c) : AgentPart(c), qrl_(c.profile.get<QrlSettings>()), networks_(start(c)) {}

  void finish() override {
    Bundle& bundle = context_.bundle;
    bundle.leave("phi", networks_.phi.to_mlp(), "state -> latent");
    bundle.vectors["phi.alpha"] = to_floats(networks_.alpha.sigmoid());
    bundle.leave("dynamics", networks_.dynamics.to_mlp(), "latent, action -> change of the latent");
    bundle.leave("actor", networks_.actor.to_mlp(), "state, state of the goal -> action");
  }

 private:
  QrlNetworks start(const PartContext& c) const {
    const auto scalar = [&] { return at::zeros({1}, c.compute.device).set_requires_grad(true); };
    return {Network(value_shape(state_size(), qrl_.latent), c.rng.fork(0), exact()), scalar(),
            Network(value_shape(qrl_.latent + action_size(), qrl_.latent), c.rng.fork(1), exact()), scalar(),
            Network(actor_shape(2 * state_size(), action_size()), c.rng.fork(2), c.compute)};
  }
  std::vector<NamedTensor> parameters() const override {
    return joined({networks_.phi.parameters("phi"),
                   networks_.dynamics.parameters("dynamics"),
                   networks_.actor.parameters("actor"),
                   {{"alpha", networks_.alpha}, {"log_multiplier", networks_.log_multiplier}}});
  }
  Loss loss(const Split& split, Rng rng) override {
    return qrl_loss(networks_, draw(split, rng, settings_.discount), qrl_.margin, qrl_.bc_weight);
  }

  const QrlSettings qrl_;
  QrlNetworks networks_;
};

void preset(Profile& profile, std::string_view name, const Survey& survey) {
  agent_preset(profile, name, survey);
  if (name != "paper") profile.set("latent", 128, Origin::kPreset);
  if (moves_directly(survey))
    profile.set("bc_weight", 0.0003, Origin::kMeasured, str("directness ", survey.directness));
  else if (explores(survey) || many_joints(survey))
    profile.set("bc_weight", 0.001, Origin::kMeasured,
                explores(survey) ? str("a share of ", survey.at_limit, " of the actions lies at the limits")
                                 : str(survey.actions, " actions"));
}

void check(const Profile& profile) {
  if (const int latent = profile.get<QrlSettings>().latent; latent % kIqeGroup != 0)
    throw UsageError("latent=", latent, ": the distance takes groups of ", kIqeGroup, " numbers; use a multiple of it");
}

}  // namespace

PartKind qrl_part() {
  return {.name = "agent",
          .networks = {"phi", "dynamics", "actor"},
          .needs = {},
          .columns = {"far_loss", "excess", "multiplier", "dynamics_loss", "actor_loss", "distance"},
          .declare =
              [](Profile& p) {
                p.add<AgentSettings>("agent", {.value_current = 0, .value_random = 1});
                p.add<QrlSettings>("agent");
              },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<Qrl>(c); },
          .check = check};
}

}  // namespace alps

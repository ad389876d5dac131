#include "alps/learn/hilp.h"

namespace alps {

Loss hilp_loss(const GciqlNetworks& networks, const DirectionBatch& batch, double discount, double expectile,
               double awr) {
  const CriticBatch steps = critic_batch(batch, discount);
  const CriticLoss values = critic_loss(networks, steps, expectile);
  const at::Tensor better = (values.least - values.of_state).detach();
  const at::Tensor actor =
      awr_loss(networks.actor.forward(at::cat({batch.states, batch.directions}, 1)), batch.actions, better, awr);
  return {values.value + values.critic + actor,
          {{"value_loss", values.value},
           {"critic_loss", values.critic},
           {"actor_loss", actor},
           {"value", values.of_state.mean()}}};
}

namespace {

class Hilp : public DirectionPart {
 public:
  explicit Hilp(const PartContext& c) : DirectionPart(c), hilp_(c.profile.get<HilpSettings>()) {}

 private:
  Loss loss(const Split& split, Rng rng) override {
    DirectionBatch batch;
    {
      const Stopwatch watch(sampling_seconds);
      std::vector<Sampler::Position> positions;
      batch = draw_steps(split, rng, positions);
    }
    return hilp_loss(networks_, batch, settings_.discount, expectile_.expectile, hilp_.awr);
  }

  const HilpSettings hilp_;
};

}  // namespace

PartKind hilp_part() {
  PartKind kind = direction_kind();
  kind.declare = [](Profile& p) {
    p.add<ExpectileSettings>("agent");
    p.add<HilpSettings>("agent");
  };
  kind.make = [](const PartContext& c) { return std::make_unique<Hilp>(c); };
  return kind;
}

}  // namespace alps

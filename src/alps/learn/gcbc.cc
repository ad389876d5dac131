#include "alps/learn/gcbc.h"

#include <limits>

namespace alps {

at::Tensor gcbc_loss(const Network& actor, const at::Tensor& states, const at::Tensor& goals,
                     const at::Tensor& actions) {
  return (actor.forward(at::cat({states, goals}, 1)) - actions).square().sum(1).mean();
}

namespace {

class Gcbc : public LossPart {
 public:
  explicit Gcbc(const PartContext& c)
      : LossPart(c),
        settings_(c.profile.get<GcbcSettings>()),
        actor_({.inputs = 2 * c.data.train->state_size(),
                .outputs = c.bundle.action_size(),
                .layers = settings_.actor_layers,
                .width = settings_.actor_width,
                .gelu = true,
                .last = 0.01},
               c.rng.fork(0), c.compute) {
    if (c.data.image())
      throw Error(c.data.train->data().path.string(),
                  ": holds images, and method gcbc learns from states; use --method alps");
  }

  Schedule schedule() const override {
    return {settings_.actor_steps, settings_.actor_lr, context_.profile.get<LoopSettings>().lr_schedule};
  }

  void finish() override { context_.bundle.leave("actor", actor_.to_mlp(), "state, state of the goal -> action"); }

 private:
  std::vector<NamedTensor> parameters() const override { return actor_.parameters("actor"); }

  Loss loss(const Split& split, Rng rng) override {
    const at::Device device = context_.compute.device;
    at::Tensor states, goals, actions;
    {
      const Stopwatch watch(sampling_seconds);
      constexpr size_t kToTheEnd = std::numeric_limits<size_t>::max();
      const RowPairs pairs = split.sampler().goals(rng, settings_.actor_batch, kToTheEnd);
      states = split.states(pairs.from).to(device);
      goals = split.states(pairs.to).to(device);
      actions = split.actions(pairs.from).to(device);
    }
    return {gcbc_loss(actor_, states, goals, actions), {}};
  }

  const GcbcSettings settings_;
  Network actor_;
};

void preset(Profile& profile, std::string_view name, const Survey&) {
  if (name != "paper") return;
  // OGBench's reference settings
  GcbcSettings s;
  s.actor_width = 512;
  s.actor_steps = 1'000'000;
  s.actor_batch = 1024;
  s.actor_lr = 3e-4;
  profile.put(s, Origin::kPreset);
}

}  // namespace

PartKind gcbc_part() {
  return {.name = "actor",
          .networks = {"actor"},
          .needs = {},
          .columns = {},
          .declare = [](Profile& p) { p.add<GcbcSettings>("actor"); },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<Gcbc>(c); }};
}

}  // namespace alps

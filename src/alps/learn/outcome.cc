#include "alps/learn/outcome.h"

#include <algorithm>

#include "alps/learn/move_data.h"
#include "alps/learn/part.h"

namespace alps {

at::Tensor support_loss(const at::Tensor& of_true, const at::Tensor& of_exchanged) {
  return 0.5 * (at::softplus(-of_true).mean() + at::softplus(of_exchanged).mean());
}

namespace {

class Outcome : public LossPart {
 public:
  explicit Outcome(const PartContext& c)
      : LossPart(c),
        settings_(c.profile.get<OutcomeSettings>()),
        moves_(c.data, factors_of(c.profile, c.data)),
        network_({2 * moves_.columns() + moves_.factors().size(), 1 + moves_.columns(), settings_.outcome_layers,
                  settings_.outcome_width},
                 c.rng.fork(0), c.compute) {
    for (const auto& split : {&c.data.train, &c.data.validation}) {
      if (!*split) continue;
      auto& by_factor = of_factor_[&**split];
      by_factor.resize(moves_.factors().size());
      for (const Move& m : moves_.moves(**split)) by_factor[m.factor].push_back(&m);
    }
  }

  Schedule schedule() const override {
    return {settings_.outcome_steps, settings_.outcome_lr, context_.profile.get<LoopSettings>().lr_schedule};
  }

  void finish() override {
    Bundle& bundle = context_.bundle;
    bundle.leave("outcome", network_.to_mlp(), "values of factors, factor one-hot, way -> support, changes");
    // places where each factor rested, for routes that need somewhere to put a thing meanwhile
    const Split& train = *context_.data.train;
    std::vector<float> counts, places;
    Rng rng = context_.rng.fork(1);
    for (size_t f = 0; f < moves_.factors().size(); ++f) {
      const std::vector<const Move*>& moves = of_factor_.at(&train)[f];
      std::vector<size_t> rows;
      for (size_t i = 0; i < std::min(kPlaces, moves.size()); ++i) rows.push_back(rng.pick<const Move*>(moves)->ends);
      const std::vector<float> states = to_floats(train.states(rows));
      for (size_t i = 0; i < rows.size(); ++i)
        for (const size_t k : moves_.factors().columns[f])
          places.push_back(states[i * bundle.state_size() + k]);
      counts.push_back(static_cast<float>(rows.size()));
    }
    bundle.vectors["outcome.counts"] = counts;
    bundle.vectors["outcome.places"] = places;
  }

 private:
  static constexpr size_t kPlaces = 24;
  std::vector<NamedTensor> parameters() const override { return network_.parameters("outcome"); }

  Loss loss(const Split& split, Rng rng) override {
    const std::vector<const Move*> moves = moves_.draw(split, rng, settings_.outcome_batch);
    if (moves.empty()) return {};
    at::Tensor before, after, after_other, others, slots, which;
    {
      const Stopwatch watch(sampling_seconds);
      std::vector<size_t> starts, ends, other_ends, other_starts;
      for (const Move* m : moves) {
        starts.push_back(m->starts);
        ends.push_back(m->ends);
        other_ends.push_back(rng.pick<const Move*>(of_factor_.at(&split)[m->factor])->ends);
      }
      for (const Move* m : moves_.draw(split, rng, moves.size())) other_starts.push_back(m->starts);
      const auto values = [&](const std::vector<size_t>& rows) {
        return moves_.values(split.states(rows).to(context_.compute.device));
      };
      before = values(starts);
      after = values(ends);
      after_other = values(other_ends);
      others = values(other_starts);
      slots = moves_.slots(moves).to(context_.compute.device);
      which = moves_.which(moves).to(context_.compute.device);
    }
    // two moves are alike if they differ by little
    const at::Tensor change = after - before;
    for (at::Tensor* values : {&before, &after, &after_other, &others}) *values = *values + blur(*values, rng);
    // half of the exchanged moves have others' values of another moment, half another place
    const int64_t n = before.size(0), half = n / 2;
    const at::Tensor moment = before * slots + others * (1 - slots);
    const at::Tensor from = at::cat({moment.slice(0, 0, half), before.slice(0, half, n)});
    const at::Tensor to = at::cat({after.slice(0, 0, half), after_other.slice(0, half, n)});
    const at::Tensor real = network_.forward(at::cat({before, which, (after - before) * slots}, 1));
    const at::Tensor exchanged = network_.forward(at::cat({from, which, (to - from) * slots}, 1));

    const at::Tensor support = support_loss(real.select(1, 0), exchanged.select(1, 0));
    const at::Tensor changes = (real.slice(1, 1) - change).square().mean();
    return {support + changes, {{"support", support}, {"changes", changes}}};
  }

  at::Tensor blur(const at::Tensor& like, Rng& rng) const {
    std::vector<float> noise(static_cast<size_t>(like.numel()));
    for (float& x : noise) x = static_cast<float>(settings_.outcome_blur * rng.normal());
    return to_tensor(noise, like.sizes(), like.device());
  }

  const OutcomeSettings settings_;
  const MoveData moves_;
  std::map<const Split*, std::vector<std::vector<const Move*>>> of_factor_;
  Network network_;
};

}  // namespace

PartKind outcome_part() {
  return {.name = "outcome",
          .networks = {"outcome"},
          .needs = {},
          .columns = {"support", "changes"},
          .declare = [](Profile& p) { p.add<OutcomeSettings>("outcome"); },
          .preset = [](Profile&, std::string_view, const Survey&) {},
          .make = [](const PartContext& c) { return std::make_unique<Outcome>(c); },
          .wanted = has_factors};
}

}  // namespace alps

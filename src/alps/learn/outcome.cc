#include "alps/learn/outcome.h"

#include <algorithm>
#include <limits>

#include "alps/learn/move_data.h"
#include "alps/learn/part.h"
#include "alps/nn/move_inputs.h"

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
        inputs_(c.bundle),
        network_({inputs_.outcome_size(), 1 + inputs_.largest(), settings_.outcome_layers, settings_.outcome_width},
                 c.rng.fork(0), c.compute) {
    for (const auto& split : {&c.data.train, &c.data.validation}) {
      if (!*split) continue;
      auto& by_factor = of_factor_[&**split];
      by_factor.resize(moves_.factors().size());
      for (const Move& m : moves_.moves(**split)) by_factor[m.factor].push_back(&m);
    }
  }

  Schedule schedule() const override {
    // held-out loss is at its least when each move was seen some hundred times; what is rare, such as a
    // place that is taken, is learned a little later
    constexpr int64_t kTimes = 150, kLeast = 300;
    const auto moves = static_cast<int64_t>(moves_.moves(*context_.data.train).size());
    const int64_t steps = std::max(kLeast, kTimes * moves / settings_.outcome_batch);
    return {std::min<int64_t>(settings_.outcome_steps, steps), settings_.outcome_lr,
            context_.profile.get<LoopSettings>().lr_schedule};
  }

  void finish() override {
    Bundle& bundle = context_.bundle;
    bundle.leave("outcome", network_.to_mlp(), "inputs of an outcome (nn/move_inputs.h) -> support, changes");
    // places where each factor rested, for routes that need somewhere to put a thing meanwhile
    const Split& train = *context_.data.train;
    std::vector<float> counts, places;
    Rng rng = context_.rng.fork(1);
    for (size_t f = 0; f < moves_.factors().size(); ++f) {
      const std::vector<const Move*>& moves = of_factor_.at(&train)[f];
      std::vector<size_t> rows;
      for (size_t i = 0; i < std::min(kDrawn, moves.size()); ++i) rows.push_back(rng.pick<const Move*>(moves)->ends);
      const std::vector<float> states = to_floats(train.states(rows));
      const auto& columns = moves_.factors().columns[f];
      const auto distance = [&](size_t i, size_t j) {
        float sum = 0;
        for (const size_t k : columns)
          sum += std::abs(states[i * bundle.state_size() + k] - states[j * bundle.state_size() + k]);
        return sum;
      };
      // half of them as usual as they come, then always the one that is farthest from all before: rare places, such as
      // in a drawer, are needed too
      std::vector<size_t> chosen;
      while (chosen.size() < std::min(kPlaces, rows.size())) {
        size_t next = chosen.size();
        float most = -1;
        for (size_t i = 0; i < rows.size() && chosen.size() >= kPlaces / 2; ++i) {
          float nearest = std::numeric_limits<float>::infinity();
          for (const size_t j : chosen) nearest = std::min(nearest, distance(i, j));
          if (nearest <= most) continue;
          most = nearest;
          next = i;
        }
        chosen.push_back(next);
        for (const size_t k : columns) places.push_back(states[next * bundle.state_size() + k]);
      }
      counts.push_back(static_cast<float>(chosen.size()));
    }
    bundle.vectors["outcome.counts"] = counts;
    bundle.vectors["outcome.places"] = places;
  }

 private:
  static constexpr size_t kPlaces = 24, kDrawn = 500;
  std::vector<NamedTensor> parameters() const override { return network_.parameters("outcome"); }

  Loss loss(const Split& split, Rng rng) override {
    const std::vector<const Move*> moves = moves_.draw(split, rng, settings_.outcome_batch);
    if (moves.empty()) return {};
    at::Tensor real, exchanged, change;
    {
      const Stopwatch watch(sampling_seconds);
      const std::vector<const Move*> any = moves_.draw(split, rng, moves.size());
      std::vector<size_t> starts, ends, other_starts, others;
      for (size_t i = 0; i < moves.size(); ++i) {
        starts.push_back(moves[i]->starts);
        ends.push_back(moves[i]->ends);
        other_starts.push_back(any[i]->starts);
        others.push_back(rng.below(inputs_.sizes.size()));
      }
      const auto values = [&](const std::vector<size_t>& rows) { return to_floats(moves_.values(split.states(rows))); };
      const std::vector<float> before = values(starts), after = values(ends);
      std::vector<float> from = before, to = after;
      real = inputs(moves, others, from, to, rng).to(context_.compute.device);
      change = changes(others, before, after).to(context_.compute.device);
      // the other thing, or its own place, as at another moment: places too where only other things have brought it
      const std::vector<float> moment = values(other_starts);
      for (size_t i = 0; i < moves.size(); ++i) {
        const size_t first = i * moves_.columns() + inputs_.first_of(others[i]), size = inputs_.sizes[others[i]];
        std::copy_n(moment.begin() + static_cast<ptrdiff_t>(first), size,
                    (others[i] == moves[i]->factor ? to : from).begin() + static_cast<ptrdiff_t>(first));
      }
      exchanged = inputs(moves, others, from, to, rng).to(context_.compute.device);
    }
    const at::Tensor of_real = network_.forward(real), of_exchanged = network_.forward(exchanged);
    const at::Tensor support = support_loss(of_real.select(1, 0), of_exchanged.select(1, 0));
    const at::Tensor off = (of_real.slice(1, 1) - change).square().mean();
    return {support + off, {{"support", support}, {"changes", off}}};
  }

  // of moves from some values to others (n, columns), blurred where it does not matter exactly
  at::Tensor inputs(const std::vector<const Move*>& moves, const std::vector<size_t>& others,
                    const std::vector<float>& from, const std::vector<float>& to, Rng& rng) const {
    const size_t c = moves_.columns(), width = inputs_.outcome_size();
    at::Tensor in = at::empty({static_cast<int64_t>(moves.size()), static_cast<int64_t>(width)});
    for (size_t i = 0; i < moves.size(); ++i) {
      const size_t factor = moves[i]->factor, first = inputs_.first_of(factor);
      float* const row = in.data_ptr<float>() + i * width;
      inputs_.fill_outcome(std::span(from).subspan(i * c, c), factor,
                           std::span(to).subspan(i * c + first, inputs_.sizes[factor]), others[i], row);
      for (float& x : inputs_.absolute(row)) x += static_cast<float>(settings_.outcome_blur * rng.normal());
    }
    return in;
  }

  // of the columns of the things that are looked at, (n, largest)
  at::Tensor changes(const std::vector<size_t>& others, const std::vector<float>& before,
                     const std::vector<float>& after) const {
    at::Tensor out = at::zeros({static_cast<int64_t>(others.size()), static_cast<int64_t>(inputs_.largest())});
    for (size_t i = 0; i < others.size(); ++i) {
      const size_t first = i * moves_.columns() + inputs_.first_of(others[i]);
      float* const row = out.data_ptr<float>() + i * inputs_.largest();
      for (size_t k = 0; k < inputs_.sizes[others[i]]; ++k) row[k] = after[first + k] - before[first + k];
    }
    return out;
  }

  const OutcomeSettings settings_;
  const MoveData moves_;
  const MoveInputs inputs_;
  std::map<const Split*, std::vector<std::vector<const Move*>>> of_factor_;
  Network network_;
};

}  // namespace

PartKind outcome_part() {
  return {.name = "outcome",
          .networks = {"outcome"},
          .needs = {"mover"},
          .columns = {"support", "changes"},
          .declare = [](Profile& p) { p.add<OutcomeSettings>("outcome"); },
          .preset = [](Profile&, std::string_view, const Survey&) {},
          .make = [](const PartContext& c) { return std::make_unique<Outcome>(c); },
          .wanted = has_factors};
}

}  // namespace alps

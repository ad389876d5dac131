#include "alps/learn/mover.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alps/learn/move_data.h"
#include "alps/learn/part.h"
#include "alps/nn/move_inputs.h"

namespace alps {
namespace {

// the leaders as they are in normalized columns
MoveInputs inputs_of(const PartContext& c, const Factors& factors) {
  const Split& train = *c.data.train;
  const std::vector<float>&mean = c.bundle.vector("normalizer.mean"),
        &deviation = c.bundle.vector("normalizer.deviation");
  MoveInputs inputs;
  for (const auto& factor : factors.columns) inputs.sizes.push_back(factor.size());
  inputs.columns = factors.all();
  inputs.things = thing_columns(train.data().observations, train.sampler().episodes(), factors);
  inputs.set_angles(find_angles(train.data().observations, train.sampler().episodes()), mean, deviation);
  const std::vector<Leader> leaders = find_leaders(train.data().observations, train.sampler().episodes(), factors);
  for (size_t i = 0; i < leaders.size(); ++i) {
    const size_t k = inputs.columns[i];
    const auto& [a, slope, offset] = leaders[i];
    inputs.leader.push_back(a);
    inputs.slope.push_back(a < 0 ? 0 : slope * deviation[k] / deviation[a]);
    inputs.offset.push_back(a < 0 ? 0 : (slope * mean[k] + offset - mean[a]) / deviation[a]);
  }
  return inputs;
}

class Mover : public LossPart {
 public:
  explicit Mover(const PartContext& c)
      : LossPart(c),
        settings_(c.profile.get<MoverSettings>()),
        moves_(c.data, factors_of(c.profile, c.data)),
        inputs_(inputs_of(c, moves_.factors())),
        network_({inputs_.size(c.bundle.state_size()), c.bundle.action_size(), settings_.mover_layers,
                  settings_.mover_width},
                 c.rng.fork(0), c.compute) {
    inputs_.pause = usual_pause();
  }

  Schedule schedule() const override {
    // most of its loss is soon gone, and what is left of it is the last centimetre
    constexpr double kPays = 0.002;
    return {settings_.mover_steps, settings_.mover_lr, context_.profile.get<LoopSettings>().lr_schedule, kPays};
  }

  void finish() override {
    Bundle& bundle = context_.bundle;
    bundle.leave("mover", network_.to_mlp(), "inputs of a move (nn/move_inputs.h) -> action");
    inputs_.store(bundle);
    std::vector<float> patience;
    for (size_t f = 0; f < inputs_.sizes.size(); ++f) patience.push_back(usual_time(f));
    // rest in units of the state's deviations
    const Split& train = *context_.data.train;
    std::vector<float> rest = rest_changes(train.data().observations, train.sampler().episodes(), moves_.factors());
    for (size_t i = 0; i < rest.size(); ++i) rest[i] /= bundle.vector("normalizer.deviation")[inputs_.columns[i]];
    bundle.vectors["mover.patience"] = patience;
    bundle.vectors["mover.rest"] = rest;
    bundle.vectors["mover.stir"] = {static_cast<float>(window()), least_stir()};
  }

 private:
  std::vector<NamedTensor> parameters() const override { return network_.parameters("mover"); }

  Loss loss(const Split& split, Rng rng) override {
    at::Tensor in, actions;
    {
      const Stopwatch watch(sampling_seconds);
      const MoveData::Steps steps = moves_.steps(split, rng, settings_.mover_batch);
      if (steps.rows.empty()) return {};
      std::vector<size_t> starts, ends;
      for (const Move* move : steps.moves) {
        starts.push_back(move->starts);
        ends.push_back(move->ends);
      }
      const std::vector<float> states = to_floats(split.states(steps.rows)), rests = to_floats(split.states(starts)),
                               there = to_floats(split.states(ends));
      const size_t s = split.state_size(), width = inputs_.size(s);
      in = at::empty({static_cast<int64_t>(ends.size()), static_cast<int64_t>(width)});
      std::vector<float> rested, to;
      for (size_t i = 0; i < ends.size(); ++i) {
        const Move& move = *steps.moves[i];
        const size_t factor = move.factor;
        const float since = move.follows ? static_cast<float>(steps.rows[i] - move.begins) : inputs_.pause;
        rested.clear();
        to.clear();
        for (const size_t k : moves_.factors().columns[factor]) {
          rested.push_back(rests[i * s + k]);
          to.push_back(there[i * s + k] + static_cast<float>(settings_.mover_blur * rng.normal()));
        }
        inputs_.fill(std::span(states).subspan(i * s, s), factor, rested, to, since, in.data_ptr<float>() + i * width);
      }
      in = in.to(context_.compute.device);
      actions = split.actions(steps.rows).to(context_.compute.device);
    }
    return {(network_.forward(in) - actions).square().sum(1).mean(), {}};
  }

  // half of the median time between two moves: by then behaviour is on its way to the next thing
  float usual_pause() const {
    std::vector<size_t> times;
    for (const Move& m : moves_.moves(*context_.data.train)) times.push_back(m.starts - m.begins);
    std::ranges::nth_element(times, times.begin() + static_cast<ptrdiff_t>(times.size() / 2));
    return std::max(1.0f, 0.5f * static_cast<float>(times[times.size() / 2]));
  }

  // steps that 95 % of a factor's moves take
  float usual_time(size_t factor) const {
    std::vector<size_t> times;
    for (const Move& m : moves_.moves(*context_.data.train))
      if (m.factor == factor) times.push_back(m.ends - m.begins);
    std::ranges::sort(times);
    return static_cast<float>(times[times.size() * 95 / 100]);
  }

  // steps: the median time from the end of a move until the next thing moves
  size_t window() const { return static_cast<size_t>(std::lround(2 * inputs_.pause)); }

  // what the state stirs within a window (nn/move_inputs.h), in all but a hundredth of the windows
  float least_stir() const {
    constexpr size_t kWindows = 2000;
    const Split& train = *context_.data.train;
    Rng rng = context_.rng.fork(1);
    std::vector<float> stirs;
    for (size_t i = 0; i < kWindows; ++i) {
      const Move& m = rng.pick<Move>(moves_.moves(train));
      if (m.ends - m.begins < window()) continue;
      std::vector<size_t> rows(window());
      std::iota(rows.begin(), rows.end(), m.begins + rng.below(m.ends - m.begins - window() + 1));
      stirs.push_back(stir(to_floats(train.states(rows)), train.state_size()));
    }
    if (stirs.empty()) return 0;
    std::ranges::sort(stirs);
    return stirs[stirs.size() / 100];
  }

  const MoverSettings settings_;
  const MoveData moves_;
  MoveInputs inputs_;
  Network network_;
};

}  // namespace

PartKind mover_part() {
  return {.name = "mover",
          .networks = {"mover"},
          .needs = {},
          .columns = {},
          .declare = [](Profile& p) { p.add<MoverSettings>("mover"); },
          .preset = [](Profile&, std::string_view, const Survey&) {},
          .make = [](const PartContext& c) { return std::make_unique<Mover>(c); },
          .wanted = has_factors};
}

}  // namespace alps

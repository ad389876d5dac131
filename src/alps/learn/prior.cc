#include "alps/learn/prior.h"

#include <cmath>
#include <map>
#include <numeric>

#include "alps/data/many_joints.h"
#include "alps/learn/part.h"

namespace alps {

at::Tensor prior_wishes(const Network& prior, const at::Tensor& states, const at::Tensor& here,
                        const at::Tensor& there) {
  return prior.forward(at::cat({states, here, there}, 1));
}

at::Tensor square_loss(const at::Tensor& wishes, const at::Tensor& actions) {
  return (wishes - actions).square().sum(1).mean();
}

at::Tensor censored_loss(const at::Tensor& wishes, const at::Tensor& actions, const at::Tensor& log_sigma,
                         double limit) {
  const at::Tensor sigma = log_sigma.exp();
  const at::Tensor inside = log_sigma + 0.5 * ((actions - wishes) / sigma).square();
  // how far the wish lies beyond the limit that the action is nearer to
  const at::Tensor beyond = (wishes * actions.sign() - limit) / sigma;
  constexpr double kRounding = 1e-6;
  return at::where(actions.abs() >= limit * (1 - kRounding), -at::special_log_ndtr(beyond), inside).sum(1).mean();
}

namespace {

// a frozen network's outputs of every row of a split (rows, outputs), once, instead of twice for each example
at::Tensor embed_rows(const Network& network, const Split& split, at::Device device) {
  constexpr size_t kBlock = 8192;
  const at::NoGradGuard no_grad;
  const size_t rows = split.data().rows();
  std::vector<at::Tensor> blocks;
  for (size_t first = 0; first < rows; first += kBlock) {
    std::vector<size_t> block(std::min(kBlock, rows - first));
    std::iota(block.begin(), block.end(), first);
    blocks.push_back(network.forward(split.states(block).to(device)));
  }
  return at::cat(blocks);
}

at::Tensor to_indices(const std::vector<size_t>& rows, at::Device device) {
  const std::vector<int64_t> indices(rows.begin(), rows.end());
  return at::tensor(indices, at::kLong).to(device);
}

class Prior : public LossPart {
 public:
  explicit Prior(const PartContext& c)
      : LossPart(c),
        settings_(c.profile.get<PriorSettings>()),
        unit_(unit_of(c)),
        network_(shape(c), c.rng.fork(0), c.compute),
        log_sigma_(at::zeros({static_cast<int64_t>(c.bundle.action_size())}, c.compute.device)) {
    log_sigma_.set_requires_grad(true);
    // the network learns from phi and from differences of phi, whose columns all have unit variance; those of psi have
    // not, and the way to a goal is a small difference of large numbers in them
    const at::NoGradGuard no_grad;
    Network phi(c.bundle.network("representation"), c.compute);
    phi.scale_outputs(unit_);
    for (const auto& split : {&c.data.train, &c.data.validation})
      if (*split) phi_[&**split] = embed_rows(phi, **split, c.compute.device);
    way_unit_ = usual_way(c.rng.fork(1));
  }

  Schedule schedule() const override {
    return {settings_.prior_steps, settings_.prior_lr, context_.profile.get<LoopSettings>().lr_schedule};
  }

  void finish() override {
    const at::NoGradGuard no_grad;
    Bundle& bundle = context_.bundle;
    const auto way_length = static_cast<float>((way_unit_ / unit_).square().sum().sqrt().item<double>());
    const float noise = spread();
    // from here on the first layer takes psi: phi = unit psi, way = (unit psi_goal - unit psi) / way_unit
    const at::Tensor place = at::diag(unit_), way = at::diag(unit_ / way_unit_);
    const at::Tensor both = at::cat({at::cat({place, at::zeros_like(place)}, 1), at::cat({-way, way}, 1)});
    network_.transform_inputs(
        at::block_diag({at::eye(static_cast<int64_t>(bundle.state_size()), context_.compute.device), both}));
    bundle.leave("prior", network_.to_mlp(), "state, psi, psi of the goal -> action");
    bundle.vectors["prior.spread"] = {noise};
    bundle.vectors["prior.way"] = {way_length};
  }

 private:
  bool censored() const { return settings_.prior_loss == "censored"; }

  // phi = unit psi
  static at::Tensor unit_of(const PartContext& c) {
    const std::vector<float>& values = c.bundle.vector("representation.eigenvalues");
    const double power = std::get<double>(c.profile.at("psi_power").value);
    return to_tensor(values, {static_cast<int64_t>(values.size())}, c.compute.device).pow(power);
  }
  static NetworkShape shape(const PartContext& c) {
    const auto s = c.profile.get<PriorSettings>();
    return {c.bundle.state_size() + 2 * c.bundle.network("representation").outputs(), c.bundle.action_size(),
            s.prior_layers, s.prior_width};
  }

  std::vector<NamedTensor> parameters() const override {
    std::vector<NamedTensor> all = network_.parameters("prior");
    if (censored()) all.push_back({"prior.log_sigma", log_sigma_});
    return all;
  }
  std::vector<NamedTensor> more_state() const override { return {{"prior.way_unit", way_unit_}}; }

  Loss loss(const Split& split, Rng rng) override {
    at::Tensor states, here, way, actions;
    {
      const Stopwatch watch(sampling_seconds);
      const RowPairs drawn = split.sampler().goals(rng, settings_.prior_batch, settings_.prior_horizon);
      RowPairs pairs;
      for (const int64_t i : split.nearby(drawn.from)) {
        pairs.from.push_back(drawn.from[i]);
        pairs.to.push_back(drawn.to[i]);
      }
      const at::Device device = context_.compute.device;
      states = split.states(pairs.from).to(device);
      here = phi_of(split, pairs.from);
      way = (phi_of(split, pairs.to) - here) / way_unit_;
      actions = split.actions(pairs.from).to(device);
    }
    const at::Tensor wishes = prior_wishes(network_, states, here, way);
    if (!censored()) return {square_loss(wishes, actions), {}};
    return {censored_loss(wishes, actions, log_sigma_, kLimit), {}};
  }

  at::Tensor phi_of(const Split& split, const std::vector<size_t>& rows) const {
    return phi_.at(&split).index_select(0, to_indices(rows, context_.compute.device));
  }

  // root mean square of phi(goal) - phi, each column; of one that hardly ever changes, not so little as to blow up
  // noise
  at::Tensor usual_way(Rng rng) const {
    constexpr size_t kPairs = 1 << 16;
    constexpr double kLeast = 1e-3;
    const Split& train = *context_.data.train;
    const RowPairs pairs = train.sampler().goals(rng, kPairs, settings_.prior_horizon);
    const at::Tensor way = phi_of(train, pairs.to) - phi_of(train, pairs.from);
    return way.square().mean(0).sqrt().clamp_min(kLeast);
  }

  // how far the data's actions lie from what the prior takes for wished, in units of their limits: noise, and whatever
  // else state and goal do not tell
  float spread() {
    if (censored()) return static_cast<float>(log_sigma_.exp().square().mean().sqrt().item<double>());
    constexpr int kBatches = 16;
    const TrainData& data = context_.data;
    const Split& split = data.validation ? *data.validation : *data.train;
    double sum = 0;
    for (int i = 0; i < kBatches; ++i) sum += loss(split, Rng(i)).total.item<double>();
    return static_cast<float>(std::sqrt(sum / kBatches / static_cast<double>(context_.bundle.action_size())));
  }

  static constexpr double kLimit = 1;  // actions come in units of theirs
  const PriorSettings settings_;
  at::Tensor unit_;                         // (d) phi = unit psi
  at::Tensor way_unit_;                     // (d) of phi(goal) - phi
  std::map<const Split*, at::Tensor> phi_;  // of every row
  Network network_;
  at::Tensor log_sigma_;  // (a) of the noise, for the censored loss
};

// of the actions' numbers at their limits: about 0.15 to 0.28 for experts with moderate noise, 0.42 where noise is as
// large as the actions
constexpr double kMuchClipped = 0.35;

void preset(Profile& profile, std::string_view name, const Survey& survey) {
  PriorSettings s;
  if (name == "paper") {
    s.prior_width = 512;
    s.prior_horizon = 50;
    s.prior_steps = survey.image ? 500'000 : 1'000'000;
    s.prior_batch = survey.image ? 256 : 1024;
    s.prior_lr = 3e-4;
    profile.put(s, Origin::kPreset);
    return;
  }
  if (survey.image) {
    s.prior_width = 512;
    s.prior_horizon = 50;
    s.prior_steps = 3000;
    profile.put(s, Origin::kMeasured, "images");
  } else if (survey.at_limit > kMuchClipped) {
    profile.set("prior_loss", std::string("censored"), Origin::kMeasured,
                str("a share of ", survey.at_limit, " of the actions lies at the limits"));
  }
  if (!survey.image && survey.actions >= kManyJoints) {
    // twice as wide, it is as near to held-out data after a third of the steps
    const std::string reason = str(survey.actions, " actions: a body of many joints");
    profile.set("prior_width", 512, Origin::kMeasured, reason);
    // what pays is little beside the noise of so many actions, so nobody is asked whether it does
    profile.set("prior_steps", 30'000, Origin::kMeasured, reason);
    profile.set("lr_schedule", std::string("cosine"), Origin::kMeasured, reason);
  }
}

}  // namespace

PartKind prior_part() {
  return {.name = "prior",
          .networks = {"prior"},
          .needs = {"representation", "detail"},
          .columns = {},
          .declare = [](Profile& p) { p.add<PriorSettings>("prior"); },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<Prior>(c); }};
}

}  // namespace alps

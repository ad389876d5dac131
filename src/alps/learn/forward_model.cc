#include "alps/learn/forward_model.h"

#include <algorithm>
#include <cmath>

#include "alps/learn/part.h"

namespace alps {

at::Tensor roll_out(const Network& model, const ChangeScale& scale, const at::Tensor& start,
                    const at::Tensor& actions) {
  if (model.fused()) return fused_roll_out(model.parts(), scale.mean, scale.deviation, start, actions);
  std::vector<at::Tensor> predictions;
  at::Tensor x = start;  // (n, s)
  for (int64_t t = 0; t < actions.size(0); ++t) {
    x = x + scale.mean + scale.deviation * model.forward(at::cat({x, actions[t]}, 1));
    predictions.push_back(x);
  }
  return at::stack(predictions);  // (H, n, s)
}

at::Tensor multi_step_loss(const Network& model, const ChangeScale& scale, const at::Tensor& states,
                           const at::Tensor& actions) {
  const at::Tensor predicted = roll_out(model, scale, states[0], actions);
  const at::Tensor actual = states.narrow(0, 1, actions.size(0));
  return ((predicted - actual) / scale.unit).square().sum(2).mean();  // over steps and batch
}

namespace {

class ForwardModel : public LossPart {
 public:
  explicit ForwardModel(const PartContext& c)
      : LossPart(c), settings_(c.profile.get<ModelSettings>()), network_(shape(c), c.rng.fork(0), c.compute) {
    check_horizon(*c.data.train);
    change_ = fit_changes(*c.data.train, c.bundle.vector("normalizer.deviation"));
    const int64_t size = static_cast<int64_t>(change_.size());
    const at::Device device = c.compute.device;
    scale_.mean = to_tensor(change_.mean, {size}, device);
    scale_.deviation = to_tensor(change_.deviation, {size}, device);
    scale_.unit = settings_.model_unit == "change" ? scale_.deviation : at::ones({size}, device);
  }

  Schedule schedule() const override {
    return {settings_.model_steps, settings_.model_lr, context_.profile.get<LoopSettings>().lr_schedule};
  }

  void finish() override {
    Bundle& bundle = context_.bundle;
    bundle.leave("model", network_.to_mlp(), "state, action -> change of the state");
    bundle.vectors["model.change_mean"] = change_.mean;
    bundle.vectors["model.change_deviation"] = change_.deviation;
  }

 private:
  std::vector<NamedTensor> parameters() const override { return network_.parameters("model"); }

  Loss loss(const Split& split, Rng rng) override {
    const int64_t horizon = settings_.model_horizon, n = settings_.model_batch;
    if (split.sampler().windows_of(horizon) == 0) return {};  // validation episodes may all be too short
    at::Tensor states, actions;
    {
      const Stopwatch watch(sampling_seconds);
      const std::vector<size_t> drawn = split.sampler().windows(rng, n, horizon);
      std::vector<size_t> starts;
      for (const int64_t i : split.nearby(drawn)) starts.push_back(drawn[i]);
      std::vector<size_t> rows;
      for (int64_t t = 0; t <= horizon; ++t)
        for (size_t start : starts) rows.push_back(start + t);
      states = split.states(rows).view({horizon + 1, n, -1}).to(context_.compute.device);
      rows.resize(horizon * n);
      actions = split.actions(rows).view({horizon, n, -1}).to(context_.compute.device);
    }
    return {multi_step_loss(network_, scale_, states, actions), {}};
  }

  static NetworkShape shape(const PartContext& c) {
    const auto s = c.profile.get<ModelSettings>();
    const size_t states = c.data.train->state_size();
    return {states + c.bundle.action_size(), states, s.model_layers, s.model_width};
  }
  void check_horizon(const Split& split) const {
    if (split.sampler().windows_of(settings_.model_horizon) > 0) return;
    throw Error(split.data().path.string(), ": model_horizon is ", settings_.model_horizon,
                ", but the longest episode has only ", split.sampler().longest(),
                " transitions; use --set model_horizon=", split.sampler().longest(), " or less");
  }

  const ModelSettings settings_;
  Network network_;
  Normalizer change_;
  ChangeScale scale_;
};

void preset(Profile& profile, std::string_view name, const Survey& survey) {
  ModelSettings s;
  if (name == "paper") {
    s.model_width = 512;
    s.model_steps = survey.image ? 500'000 : 1'000'000;
    s.model_batch = survey.image ? 256 : 1024;
    s.model_lr = 3e-4;
    s.model_unit = "state";
    profile.put(s, Origin::kPreset);
    return;
  }
  // a prediction over more steps than it takes to cross the world is of no use
  const int horizon = std::clamp(static_cast<int>(1 / std::max(survey.pace, 1e-3)), 3, 10);
  profile.set("model_horizon", horizon, Origin::kMeasured, str("pace ", survey.pace));
  if (survey.image) {
    s.model_batch = 512;
    s.model_lr = 2e-3;
    s.model_steps = 8000;
    s.model_horizon = horizon;
    profile.put(s, Origin::kMeasured, "images");
  } else {
    // more data hold more to learn
    const double millions = static_cast<double>(survey.rows) / 1e6;
    const int steps = static_cast<int>(std::lround(6000 * std::clamp(millions, 1.0, 4.0)));
    profile.set("model_steps", steps, Origin::kMeasured, str(survey.rows, " rows"));
  }
}

}  // namespace

PartKind forward_model_part() {
  return {.name = "model",
          .networks = {"model"},
          .needs = {"detail"},
          .columns = {},
          .declare = [](Profile& p) { p.add<ModelSettings>("forward model"); },
          .preset = preset,
          .make = [](const PartContext& c) { return std::make_unique<ForwardModel>(c); }};
}

}  // namespace alps

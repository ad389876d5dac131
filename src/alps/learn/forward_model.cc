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

class ForwardModel : public Part {
 public:
  explicit ForwardModel(const PartContext& c)
      : config_(c.config), model_(c.model), device_(c.device), network_(shape(c), c.rng.fork(0), c.device) {
    check_horizon(*c.data.train);
    const Split& split = *c.data.train;
    change_ = fit_changes(split, c.model.deviation);
    const int64_t size = static_cast<int64_t>(change_.size());
    scale_.mean = to_tensor(change_.mean, {size}, device_);
    scale_.deviation = to_tensor(change_.deviation, {size}, device_);
    scale_.unit = config_.model_unit == "change" ? scale_.deviation : at::ones({size}, device_);
  }

  std::vector<NamedTensor> parameters() const override { return network_.parameters("model"); }

  Loss loss(const Split& split, Rng rng) override {
    const int64_t horizon = config_.model_horizon, n = config_.model_batch;
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
      states = split.states(rows).view({horizon + 1, n, -1}).to(device_);
      rows.resize(horizon * n);
      actions = split.actions(rows).view({horizon, n, -1}).to(device_);
    }
    const at::Tensor total = multi_step_loss(network_, scale_, states, actions);
    return {total, {}};
  }

  void finish() override {
    model_.model = network_.to_mlp();
    model_.change_mean = change_.mean;
    model_.change_deviation = change_.deviation;
  }

 private:
  static NetworkShape shape(const PartContext& c) {
    const size_t states = c.data.train->state_size();
    return {states + c.data.train->data().action_size(), states, c.config.model_layers, c.config.model_width};
  }
  void check_horizon(const Split& split) const {
    if (split.sampler().windows_of(config_.model_horizon) > 0) return;
    throw Error(split.data().path.string(), ": model_horizon is ", config_.model_horizon,
                ", but the longest episode has only ", split.sampler().longest(),
                " transitions; use --set model_horizon=", split.sampler().longest(), " or less");
  }

  const TrainConfig& config_;
  Model& model_;
  at::Device device_;
  Network network_;
  Normalizer change_;
  ChangeScale scale_;
};

}  // namespace

std::unique_ptr<Part> make_forward_model(const PartContext& context) { return std::make_unique<ForwardModel>(context); }

}  // namespace alps

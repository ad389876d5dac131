// The forward model: x' = x + change_mean + change_deviation * model(x, a) on normalized states, trained by the
// multi-step loss (paper, section 4)
//   1/H sum_{tau=1..H} || x^_{t+tau} - x_{t+tau} ||^2,   x^_{t+tau} = f(x^_{t+tau-1}, a_{t+tau-1}),
// with gradients through time. The error may be measured in units of the state's deviation, as the paper does, or of
// the deviation of one step's change, which gives slow and fast columns the same weight.
#pragma once

#include <ATen/ATen.h>

#include "alps/learn/method.h"
#include "alps/learn/networks.h"

namespace alps {

struct ModelSettings {
  int model_layers = 4;
  int model_width = 256;
  int model_horizon = 10;
  int model_steps = 6000;
  int model_batch = 128;
  double model_lr = 1e-3;
  std::string model_unit = "change";
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("model_layers", s.model_layers, Range{2, 16}, "linear layers of the forward model");
    visit("model_width", s.model_width, Range{1, 8192},
          "units of the forward model's hidden layers; a decision takes longer with more");
    visit("model_horizon", s.model_horizon, Range{1, 10000},
          "H_f: in training the model predicts this many steps from its own predictions; about the planner's horizon");
    visit("model_steps", s.model_steps, Range{1, 1e9},
          "training steps of the forward model, at most; more where its errors over many steps are large");
    visit("model_batch", s.model_batch, Range{1, 1 << 20}, "windows of model_horizon steps in a batch");
    visit("model_lr", s.model_lr, Range{1e-12, 10}, "learning rate of the forward model");
    visit("model_unit", s.model_unit, Choices{"state", "change"},
          "unit of the prediction error: the state's deviation (the paper), or that of one step's change, which gives "
          "slow and fast columns the same weight");
  }
};
PartKind forward_model_part();

struct ChangeScale {
  at::Tensor mean, deviation;  // (state) of one step of the normalized state
  at::Tensor unit;             // (state) by which errors are divided
};

// states (H+1, n, s), actions (H, n, a) -> predictions (H, n, s)
at::Tensor roll_out(const Network& model, const ChangeScale& scale, const at::Tensor& start, const at::Tensor& actions);
at::Tensor multi_step_loss(const Network& model, const ChangeScale& scale, const at::Tensor& states,
                           const at::Tensor& actions);

}  // namespace alps

#include "alps/learn/fused.h"

#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <mutex>

#include "alps/nn/backprop.h"

namespace alps {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// memory that the steps of training hand on
class Spare {
 public:
  std::unique_ptr<Backprop> take() {
    const std::lock_guard lock(mutex_);
    if (list_.empty()) return std::make_unique<Backprop>();
    auto last = std::move(list_.back());
    list_.pop_back();
    return last;
  }
  void give(std::unique_ptr<Backprop> backprop) {
    const std::lock_guard lock(mutex_);
    list_.push_back(std::move(backprop));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Backprop>> list_;
};
Spare& spare() {
  static Spare spare;
  return spare;
}

// what a computation needs to know beside its tensors
struct Kind {
  int64_t norms, threads;
  bool gelu, learns;  // learns: a parameter wants a gradient
  Precision precision;
};

// the passes of a forward computation, kept until the backward one
struct Passes : torch::CustomClassHolder {
  Passes(at::TensorList list, const Kind& kind_in, size_t rows, bool keep = true)
      : parameters(list.begin(), list.end()), kind(kind_in), backprop(spare().take()) {
    std::vector<Backprop::Layer> layers;
    for (size_t i = 0; i < layer_count(); ++i) {
      const at::Tensor &weight = parameters[2 * i], &bias = parameters[2 * i + 1];
      layers.push_back({weight.const_data_ptr<float>(), bias.const_data_ptr<float>(),
                        static_cast<size_t>(weight.size(1)), static_cast<size_t>(weight.size(0))});
    }
    std::vector<Backprop::Norm> norms;
    for (size_t i = 2 * layer_count(); i < parameters.size(); i += 2)
      norms.push_back({parameters[i].const_data_ptr<float>(), parameters[i + 1].const_data_ptr<float>()});
    const int threads = static_cast<int>(kind.threads);
    if (kind.gelu)
      backprop->start_gelu(std::move(layers), Backprop::Gelu{norms}, rows, threads, kind.precision, keep);
    else
      backprop->start(std::move(layers), norms.empty() ? Backprop::Norm{} : norms.front(), rows, threads,
                      kind.precision);
  }
  ~Passes() override { spare().give(std::move(backprop)); }

  size_t layer_count() const { return parameters.size() / 2 - kind.norms; }
  int64_t inputs() const { return parameters.front().size(1); }
  int64_t outputs() const { return parameters[2 * layer_count() - 1].size(0); }
  Backprop::Of of() const { return kind.learns ? Backprop::Of::kAll : Backprop::Of::kInput; }

  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor in = x.contiguous();
    std::copy_n(in.const_data_ptr<float>(), in.numel(), backprop->input(0));
    at::Tensor out = at::empty({in.size(0), outputs()}, in.options());
    backprop->forward(0, in.size(0), out.data_ptr<float>());
    return out;
  }

  // in the order of the parameters
  variable_list gradients() const {
    variable_list list(parameters.size());
    if (!kind.learns) return list;
    for (size_t i = 0; i < list.size(); ++i) list[i] = at::empty_like(parameters[i]);
    Backprop::Gradients out;
    for (size_t i = 0; i < layer_count(); ++i) {
      out.weights.push_back(list[2 * i].data_ptr<float>());
      out.biases.push_back(list[2 * i + 1].data_ptr<float>());
    }
    for (size_t i = 2 * layer_count(); i < list.size(); i += 2) {
      if (kind.gelu) {
        out.gains.push_back(list[i].data_ptr<float>());
        out.shifts.push_back(list[i + 1].data_ptr<float>());
      } else {
        out.gain = list[i].data_ptr<float>();
        out.bias = list[i + 1].data_ptr<float>();
      }
    }
    backprop->gradients(out);
    return list;
  }

  std::vector<at::Tensor> parameters;  // they hold the weights
  Kind kind;
  std::unique_ptr<Backprop> backprop;
};

void keep(AutogradContext* context, const c10::intrusive_ptr<Passes>& passes) {
  context->saved_data["passes"] = c10::IValue::make_capsule(passes);
}
Passes& kept(AutogradContext* context) {
  return *c10::static_intrusive_pointer_cast<Passes>(context->saved_data["passes"].toCapsule());
}

class Forward : public torch::autograd::Function<Forward> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, at::TensorList parameters, Kind kind) {
    auto passes = c10::make_intrusive<Passes>(parameters, kind, x.size(0));
    const at::Tensor out = passes->forward(x);
    keep(context, passes);
    context->saved_data["x_gradient"] = x.requires_grad();
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    Passes& passes = kept(context);
    const at::Tensor gradient = gradients[0].contiguous();
    const bool wanted = context->saved_data["x_gradient"].toBool();
    at::Tensor x_gradient;
    if (wanted) x_gradient = at::empty({gradient.size(0), passes.inputs()}, gradient.options());
    passes.backprop->backward(0, gradient.size(0), gradient.const_data_ptr<float>(),
                              wanted ? x_gradient.data_ptr<float>() : nullptr, passes.of());
    variable_list list = passes.gradients();
    list.insert(list.begin(), x_gradient);
    list.resize(list.size() + 1);  // the kind has none
    return list;
  }
};

class RollOut : public torch::autograd::Function<RollOut> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& start, const at::Tensor& actions,
                            const at::Tensor& mean, const at::Tensor& deviation, at::TensorList parameters, Kind kind) {
    const int64_t horizon = actions.size(0), n = start.size(0), s = start.size(1), a = actions.size(2);
    const int64_t pass = n + n % 2;
    auto passes = c10::make_intrusive<Passes>(parameters, kind, static_cast<size_t>(horizon * pass));
    at::Tensor states = at::empty({horizon, n, s}, start.options()), change = at::empty({n, s}, start.options());
    const at::Tensor first = start.contiguous(), acts = actions.contiguous();
    const float *shift = mean.const_data_ptr<float>(), *scale = deviation.const_data_ptr<float>();
    const float *from = first.const_data_ptr<float>(), *act = acts.const_data_ptr<float>();
    float* to = states.data_ptr<float>();
    const float* d = change.const_data_ptr<float>();
    for (int64_t t = 0; t < horizon; ++t) {
      for (int64_t i = 0; i < n; ++i) {
        float* row = passes->backprop->input(t * pass + i);
        std::copy_n(act + (t * n + i) * a, a, std::copy_n(from + i * s, s, row));
      }
      passes->backprop->forward(t * pass, n, change.data_ptr<float>());
      for (int64_t i = 0; i < n; ++i)
        for (int64_t k = 0; k < s; ++k) to[i * s + k] = from[i * s + k] + shift[k] + scale[k] * d[i * s + k];
      from = to;
      to += n * s;
    }
    keep(context, passes);
    context->saved_data["deviation"] = deviation;
    return states;
  }

  // only the network learns
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    Passes& passes = kept(context);
    const at::Tensor gradient = gradients[0].contiguous(), deviation = context->saved_data["deviation"].toTensor();
    const int64_t horizon = gradient.size(0), n = gradient.size(1), s = gradient.size(2);
    const int64_t inputs = passes.inputs(), pass = n + n % 2;
    const float *g = gradient.const_data_ptr<float>(), *scale = deviation.const_data_ptr<float>();
    std::vector<float> state(n * s, 0.0f), change(n * s), in(n * inputs);  // gradients of x_t, of its change, of (x, a)
    for (int64_t t = horizon; t-- > 0;) {
      for (int64_t i = 0; i < n * s; ++i) {
        state[i] += g[t * n * s + i];
        change[i] = state[i] * scale[i % s];
      }
      passes.backprop->backward(t * pass, n, change.data(), in.data());
      for (int64_t i = 0; i < n; ++i)
        for (int64_t k = 0; k < s; ++k) state[i * s + k] += in[i * inputs + k];
    }
    variable_list list(4);
    const variable_list weights = passes.gradients();
    list.insert(list.end(), weights.begin(), weights.end());
    list.resize(list.size() + 1);  // the kind
    return list;
  }
};

Kind kind_of(const FusedNetwork& network) {
  bool learns = false;
  for (const at::Tensor& p : network.parameters) learns |= p.requires_grad();
  // what nobody learns from is computed exactly: validation, frozen networks
  return {network.norms, network.threads, network.gelu, learns,
          at::GradMode::is_enabled() ? network.precision : Precision::kFp32};
}

}  // namespace

at::Tensor fused_forward(const FusedNetwork& network, const at::Tensor& x) {
  const Kind kind = kind_of(network);
  const at::TensorList parameters(network.parameters);
  if (network.gelu && (!at::GradMode::is_enabled() || (!kind.learns && !x.requires_grad())))
    return Passes(parameters, kind, x.size(0), false).forward(x);
  return Forward::apply(x, parameters, kind);
}

at::Tensor fused_roll_out(const FusedNetwork& network, const at::Tensor& mean, const at::Tensor& deviation,
                          const at::Tensor& start, const at::Tensor& actions) {
  return RollOut::apply(start, actions, mean, deviation, at::TensorList(network.parameters), kind_of(network));
}

}  // namespace alps

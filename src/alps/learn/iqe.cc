#include "alps/learn/iqe.h"

#include <torch/csrc/autograd/custom_function.h>

#include <vector>

#include "alps/base/error.h"
#include "alps/nn/interval_union.h"

namespace alps {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class Unions : public torch::autograd::Function<Unions> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& y, int64_t group) {
    const at::Tensor from = x.contiguous(), to = y.contiguous();
    at::Tensor out = at::zeros({x.size(0), x.size(1) / group}, x.options());
    const float *a = from.const_data_ptr<float>(), *b = to.const_data_ptr<float>();
    float* length = out.data_ptr<float>();
    std::vector<int64_t> order;
    for (int64_t i = 0; i < out.numel(); ++i, a += group, b += group)
      walk_union(a, b, group, order, [&](int64_t first, int64_t last) { length[i] += b[last] - a[first]; });
    context->save_for_backward({from, to});
    context->saved_data["group"] = group;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list kept = context->get_saved_variables();
    const int64_t group = context->saved_data["group"].toInt();
    const at::Tensor gradient = gradients[0].contiguous();
    at::Tensor of_x = at::zeros_like(kept[0]), of_y = at::zeros_like(kept[1]);
    const float *a = kept[0].const_data_ptr<float>(), *b = kept[1].const_data_ptr<float>(),
                *g = gradient.const_data_ptr<float>();
    float *to_x = of_x.data_ptr<float>(), *to_y = of_y.data_ptr<float>();
    std::vector<int64_t> order;
    for (int64_t i = 0; i < gradient.numel(); ++i) {
      if (g[i] == 0) continue;
      const int64_t at = i * group;
      walk_union(a + at, b + at, group, order, [&](int64_t first, int64_t last) {
        to_x[at + first] -= g[i];
        to_y[at + last] += g[i];
      });
    }
    return {of_x, of_y, at::Tensor()};
  }
};

}  // namespace

at::Tensor interval_unions(const at::Tensor& x, const at::Tensor& y, int64_t group) {
  ALPS_CHECK(x.size(1) % group == 0 && x.sizes() == y.sizes());
  if (x.is_cpu()) return Unions::apply(x, y, group);
  // elsewhere by torch: ends in order, and how many intervals are open after each of them
  const at::Tensor from = x.view({x.size(0), -1, group}), to = at::maximum(y, x).view({x.size(0), -1, group});
  const auto [ends, order] = at::cat({from, to}, 2).sort(2);
  const at::Tensor open = at::where(order < group, 1, -1).cumsum(2);
  const at::Tensor gaps = ends.narrow(2, 1, 2 * group - 1) - ends.narrow(2, 0, 2 * group - 1);
  return (gaps * (open.narrow(2, 0, 2 * group - 1) > 0)).sum(2);
}

at::Tensor iqe_distance(const at::Tensor& x, const at::Tensor& y, int64_t group, const at::Tensor& alpha) {
  const at::Tensor lengths = interval_unions(x, y, group);
  return alpha * lengths.mean(1) + (1 - alpha) * lengths.amax(1);
}

}  // namespace alps

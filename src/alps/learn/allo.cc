#include "alps/learn/allo.h"

#include <torch/csrc/autograd/custom_function.h>

#include <numeric>

#include "alps/learn/allo_terms.h"
#include "alps/learn/networks.h"

namespace alps {
namespace {

// lower triangle of <u_j, [u_k]> - delta_jk over one batch u (n, d), with u_0 = 1 in front
at::Tensor constraint_error(const at::Tensor& u) {
  const at::Tensor all = at::cat({at::ones({u.size(0), 1}, u.options()), u}, 1);  // (n, d+1)
  const at::Tensor inner = at::mm(all.t(), all.detach()) / u.size(0);             // (d+1, d+1)
  return (inner - at::eye(inner.size(0), inner.options())).tril();
}

// a loss whose gradient is known already
class Known : public torch::autograd::Function<Known> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& /*u*/, double value,
                            const at::Tensor& gradient) {
    context->saved_data["gradient"] = gradient;
    return at::scalar_tensor(value, gradient.options());
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& outer) {
    return {context->saved_data["gradient"].toTensor() * outer[0], {}, {}};
  }
};

AlloLoss known_loss(const at::Tensor& u, int64_t n, const at::Tensor& duals, double barrier,
                    const std::vector<int64_t>& places, int threads) {
  const at::Tensor rows = u.detach().contiguous(), factors = duals.detach().contiguous();
  const auto values = [](const at::Tensor& t) { return std::span(t.const_data_ptr<float>(), t.numel()); };
  const AlloTerms terms = allo_terms(values(rows), places, n, u.size(1), values(factors), barrier, threads);
  const auto scalar = [](double value) { return at::scalar_tensor(value, at::kFloat); };
  return {.total =
              Known::apply(u, terms.graph + terms.dual + terms.barrier, to_tensor(terms.gradient, u.sizes(), at::kCPU)),
          .graph = scalar(terms.graph),
          .dual = scalar(terms.dual),
          .barrier = scalar(terms.barrier),
          .error = to_tensor(terms.error, duals.sizes(), at::kCPU)};
}

}  // namespace

namespace {

std::vector<int64_t> all_places(const at::Tensor& u, std::vector<int64_t> places) {
  if (!places.empty()) return places;
  places.resize(u.size(0));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

}  // namespace

AlloLoss allo_loss(const at::Tensor& u, int64_t n, const at::Tensor& duals, double barrier, std::vector<int64_t> places,
                   int threads) {
  if (u.is_cpu()) return known_loss(u, n, duals, barrier, all_places(u, std::move(places)), threads);
  return allo_loss_by_autograd(u, n, duals, barrier, std::move(places));
}

AlloLoss allo_loss_by_autograd(const at::Tensor& u, int64_t n, const at::Tensor& duals, double barrier,
                               std::vector<int64_t> places) {
  places = all_places(u, std::move(places));
  const at::Tensor rows = u.index_select(0, at::tensor(places).to(u.device()));
  const int64_t last = rows.size(0) - n;
  AlloLoss loss;
  loss.graph = 0.5 * (rows.narrow(0, 0, n) - rows.narrow(0, n, n)).square().sum(1).mean();
  const at::Tensor first = constraint_error(rows.narrow(0, last > 2 * n ? 2 * n : 0, n));
  const at::Tensor second = constraint_error(rows.narrow(0, last, n));
  const at::Tensor error = 0.5 * (first + second);
  loss.dual = (duals.detach() * error).sum();
  loss.barrier = barrier * (first * second).sum();
  loss.total = loss.graph + loss.dual + loss.barrier;
  loss.error = error.detach();
  return loss;
}

void update_duals(at::Tensor& duals, const at::Tensor& error, double step, double least, double most) {
  const at::NoGradGuard no_grad;
  duals.copy_((duals + step * error).tril().clamp(least, most));
}

at::Tensor start_duals(int64_t eigenvectors, double value, at::Device device) {
  return at::full({eigenvectors + 1, eigenvectors + 1}, value, at::TensorOptions(device).dtype(at::kFloat)).tril();
}

std::vector<float> dual_eigenvalues(const at::Tensor& duals) {
  std::vector<float> diagonal = to_floats(duals.diagonal());
  diagonal.erase(diagonal.begin());
  for (float& value : diagonal) value *= -0.5f;
  return diagonal;
}

}  // namespace alps

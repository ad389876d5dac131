#include "alps/learn/allo.h"

#include "alps/learn/networks.h"

namespace alps {
namespace {

// lower triangle of <u_j, [u_k]> - delta_jk over one batch u (n, d), with u_0 = 1 in front
at::Tensor constraint_error(const at::Tensor& u) {
  const at::Tensor all = at::cat({at::ones({u.size(0), 1}, u.options()), u}, 1);  // (n, d+1)
  const at::Tensor inner = at::mm(all.t(), all.detach()) / u.size(0);             // (d+1, d+1)
  return (inner - at::eye(inner.size(0), inner.options())).tril();
}

}  // namespace

AlloLoss allo_loss(const at::Tensor& u, const at::Tensor& duals, double barrier) {
  const auto batch = u.chunk(4);  // each (n, d)
  AlloLoss loss;
  loss.graph = 0.5 * (batch[0] - batch[1]).square().sum(1).mean();
  const at::Tensor first = constraint_error(batch[2]);
  const at::Tensor second = constraint_error(batch[3]);
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

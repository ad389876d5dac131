#include "alps/learn/logdet.h"

namespace alps {
namespace {

// of a symmetric matrix; a share of its mean diagonal keeps it from being singular, whatever its scale
at::Tensor log_det(const at::Tensor& m) {
  constexpr double kRidge = 1e-5;
  const at::Tensor ridge = kRidge * m.diagonal().mean() * at::eye(m.size(0), m.options());
  return 2 * at::linalg_cholesky(m + ridge).diagonal().log().sum();
}

}  // namespace

at::Tensor logdet_loss(const at::Tensor& u) {
  const at::Tensor all = u.to(at::kDouble);
  const auto pair = all.chunk(2);
  const at::Tensor difference = pair[0] - pair[1], centred = all - all.mean(0);
  const at::Tensor d = at::mm(difference.t(), difference) * (0.5 / static_cast<double>(difference.size(0)));
  const at::Tensor c = at::mm(centred.t(), centred) / all.size(0);
  return ((log_det(d) - log_det(c)) / u.size(1)).to(u.scalar_type());
}

}  // namespace alps

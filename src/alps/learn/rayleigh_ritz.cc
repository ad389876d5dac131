#include "alps/learn/rayleigh_ritz.h"

#include <algorithm>

#include "alps/base/error.h"
#include "alps/learn/networks.h"

namespace alps {
namespace {

constexpr size_t kPiece = 16384;  // rows whose features are held at once

at::Tensor index_tensor(const std::vector<int64_t>& values) {
  return at::from_blob(const_cast<int64_t*>(values.data()), {static_cast<int64_t>(values.size())}, at::kLong).clone();
}

// sums of outer products, all in double: in float, rounding alone would give directions that the features do not span
// a little variance, and such a direction looks like an eigenvector of eigenvalue zero. Features are shifted by the
// mean of the first piece, for their constant part may be large.
struct Moments {
  at::Tensor shift, sum, outer, difference;
  double rows = 0, pairs = 0;

  void add_rows(const at::Tensor& features) {
    if (!shift.defined()) shift = features.mean(0, false, at::kDouble);
    const at::Tensor f = features.to(at::kDouble) - shift;
    add(sum, f.sum(0));
    add(outer, at::mm(f.t(), f));
    rows += static_cast<double>(f.size(0));
  }
  void add_pairs(const at::Tensor& from, const at::Tensor& to) {
    const at::Tensor delta = from.to(at::kDouble) - to.to(at::kDouble);
    add(difference, at::mm(delta.t(), delta));
    pairs += static_cast<double>(delta.size(0));
  }
  static void add(at::Tensor& total, const at::Tensor& piece) { total = total.defined() ? total + piece : piece; }
};

}  // namespace

RitzResult rayleigh_ritz(const Split& split, const Features& features, double gamma, int64_t count, Rng rng) {
  const at::NoGradGuard no_grad;
  Moments moments;
  RowPairs apart;  // pairs whose second state lies beyond their piece

  // every row once as a state and, with a drawn successor, once as the first of a pair
  for (const Episode& episode : split.sampler().episodes()) {
    for (size_t first = episode.first; first <= episode.last; first += kPiece) {
      const size_t last = std::min(episode.last, first + kPiece - 1);
      std::vector<size_t> rows;
      std::vector<int64_t> from, to;
      for (size_t row = first; row <= last; ++row) {
        rows.push_back(row);
        if (row == episode.last) continue;
        const size_t next = row + truncated_geometric(rng, gamma, episode.last - row);
        if (next > last) {
          apart.from.push_back(row);
          apart.to.push_back(next);
        } else {
          from.push_back(static_cast<int64_t>(row - first));
          to.push_back(static_cast<int64_t>(next - first));
        }
      }
      const at::Tensor f = features(rows);  // (n, m)
      moments.add_rows(f);
      if (!from.empty())
        moments.add_pairs(f.index_select(0, index_tensor(from).to(f.device())),
                          f.index_select(0, index_tensor(to).to(f.device())));
    }
  }
  for (size_t i = 0; i < apart.from.size(); i += kPiece) {
    const size_t end = std::min(apart.from.size(), i + kPiece);
    moments.add_pairs(features({apart.from.begin() + i, apart.from.begin() + end}),
                      features({apart.to.begin() + i, apart.to.begin() + end}));
  }

  ALPS_CHECK(moments.rows > 0 && moments.pairs > 0);
  const at::Tensor beyond = moments.sum / moments.rows;  // of the mean beyond the shift
  const at::Tensor b = moments.outer / moments.rows - at::outer(beyond, beyond);
  const at::Tensor a = 0.5 * moments.difference / moments.pairs, mean = beyond + moments.shift;
  return solve_ritz(a.to(at::kCPU), b.to(at::kCPU), mean.to(at::kCPU), count);
}

RitzResult solve_ritz(const at::Tensor& a, const at::Tensor& b, const at::Tensor& mean, int64_t count, double least) {
  // whiten with the covariance; directions without variance (dead or equal features) are left out
  const auto [variances, directions] = at::linalg_eigh(b);
  const double most = variances.max().item<double>();
  const at::Tensor keep = (variances > least * most).nonzero().squeeze(1);
  RitzResult result;
  result.rank = keep.size(0);
  if (result.rank < count)
    throw Error("representation: the learned features span only ", result.rank, " directions, fewer than the ", count,
                " eigenvectors wanted; train longer, or set eigenvectors=", std::max<int64_t>(1, result.rank));
  const at::Tensor whiten = directions.index_select(1, keep) / variances.index_select(0, keep).sqrt();  // (m, rank)

  const auto [values, vectors] = at::linalg_eigh(at::mm(whiten.t(), at::mm(a, whiten)));
  at::Tensor weight = at::mm(whiten, vectors.narrow(1, 0, count)).t();  // (count, m)

  // of the two signs take the one whose largest weight is positive
  const at::Tensor largest = weight.gather(1, weight.abs().argmax(1, true));
  weight = (weight * largest.sign()).contiguous();
  result.weight = weight.to(at::kFloat);
  result.bias = (-at::mv(weight, mean)).to(at::kFloat);
  result.eigenvalues = to_floats(values.narrow(0, 0, count).clamp_min(1e-9));
  return result;
}

}  // namespace alps

#include "alps/learn/rayleigh_ritz.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "alps/base/error.h"
#include "alps/base/threads.h"
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
  at::Tensor sum, outer, difference;
  double rows = 0, pairs = 0;

  void add_rows(const at::Tensor& features, const at::Tensor& shift) {
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
  void add(const Moments& other) {
    add(sum, other.sum);
    add(outer, other.outer);
    if (other.difference.defined()) add(difference, other.difference);
    rows += other.rows;
    pairs += other.pairs;
  }
  static void add(at::Tensor& total, const at::Tensor& part) { total = total.defined() ? total + part : part; }
};

// some rows that follow each other in an episode
struct Stretch {
  size_t first, last, end;  // end: of the episode
};

// stretches of all episodes, in pieces of about kPiece rows
std::vector<std::vector<Stretch>> pieces_of(const std::vector<Episode>& episodes) {
  std::vector<std::vector<Stretch>> pieces;
  size_t room = 0;
  for (const Episode& episode : episodes)
    for (size_t first = episode.first; first <= episode.last; first += kPiece) {
      const size_t last = std::min(episode.last, first + kPiece - 1);
      if (last - first >= room) {
        pieces.emplace_back();
        room = kPiece;
      }
      pieces.back().push_back({first, last, episode.last});
      room -= std::min(room, last - first + 1);
    }
  return pieces;
}

// every row once as a state and, with a drawn successor, once as the first of a pair
Moments moments_of(const std::vector<Stretch>& piece, const Features& features, const at::Tensor& shift, double gamma,
                   Rng rng) {
  std::vector<size_t> rows;
  std::vector<int64_t> from, to;
  RowPairs apart;  // pairs whose second state lies beyond their stretch
  for (const Stretch& stretch : piece)
    for (size_t row = stretch.first; row <= stretch.last; ++row) {
      const auto place = static_cast<int64_t>(rows.size());
      rows.push_back(row);
      if (row == stretch.end) continue;
      const size_t step = truncated_geometric(rng, gamma, stretch.end - row);
      if (row + step > stretch.last) {
        apart.from.push_back(row);
        apart.to.push_back(row + step);
      } else {
        from.push_back(place);
        to.push_back(place + static_cast<int64_t>(step));
      }
    }
  Moments moments;
  const at::Tensor f = features(rows);  // (n, m)
  moments.add_rows(f, shift);
  if (!from.empty())
    moments.add_pairs(f.index_select(0, index_tensor(from).to(f.device())),
                      f.index_select(0, index_tensor(to).to(f.device())));
  if (!apart.from.empty()) moments.add_pairs(features(apart.from), features(apart.to));
  return moments;
}

}  // namespace

RitzResult rayleigh_ritz(const Split& split, const Features& features, double gamma, int64_t count, Rng rng,
                         int threads) {
  const at::NoGradGuard no_grad;
  const auto pieces = pieces_of(split.sampler().episodes());
  ALPS_CHECK(!pieces.empty());
  std::vector<size_t> first;
  for (const Stretch& stretch : pieces.front())
    for (size_t row = stretch.first; row <= stretch.last; ++row) first.push_back(row);
  const at::Tensor shift = features(first).mean(0, false, at::kDouble);

  // a piece for each of our threads rather than each product for all of torch's, which wait for each other even when
  // another program has one of the cores; added up in order, so that the number of threads does not matter
  if (!shift.is_cpu()) threads = 1;
  const size_t wave = 4 * static_cast<size_t>(threads);
  Moments moments;
  for (size_t begin = 0; begin < pieces.size(); begin += wave) {
    std::vector<Moments> parts(std::min(wave, pieces.size() - begin));
    parallel_for(parts.size(), threads, [&](size_t i) {
      const at::NoGradGuard none;
      if (threads > 1) at::set_num_threads(1);
      parts[i] = moments_of(pieces[begin + i], features, shift, gamma, rng.fork(begin + i));
    });
    for (const Moments& part : parts) moments.add(part);
  }
  if (threads > 1) at::set_num_threads(threads);

  ALPS_CHECK(moments.rows > 0 && moments.pairs > 0);
  const at::Tensor beyond = moments.sum / moments.rows;  // of the mean beyond the shift
  const at::Tensor b = moments.outer / moments.rows - at::outer(beyond, beyond);
  const at::Tensor a = 0.5 * moments.difference / moments.pairs, mean = beyond + shift;
  return solve_ritz(a.to(at::kCPU), b.to(at::kCPU), mean.to(at::kCPU), count, 1e-7, nullptr);
}

RitzResult solve_ritz(const at::Tensor& a, const at::Tensor& b, const at::Tensor& mean, int64_t count, double least,
                      const char* setting) {
  // whiten with the covariance; directions without variance (dead or equal features) are left out
  const auto [variances, directions] = at::linalg_eigh(b);
  const double most = variances.max().item<double>();
  const at::Tensor keep = (variances > least * most).nonzero().squeeze(1);
  RitzResult result;
  result.rank = keep.size(0);
  if (result.rank < count && (setting != nullptr || result.rank == 0))
    throw Error("representation: the features span only ", result.rank, " directions, fewer than ",
                setting != nullptr ? setting : "eigenvectors", "=", count, " asks for; ",
                result.rank == 0 ? "do the observations change at all? (alps check FILE)"
                                 : str("set ", setting, "=", result.rank));
  count = std::min(count, result.rank);
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

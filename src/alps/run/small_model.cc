#include "alps/run/small_model.h"

#include <algorithm>
#include <cmath>

#include "alps/base/rng.h"
#include "alps/base/threads.h"

namespace alps {
namespace {

constexpr double kRidge = 1e-4;  // of the mean diagonal

// solves a x = b for several right-hand sides by Cholesky's method; a (n, n) positive definite, b (n, m)
void solve_positive(std::vector<double>& a, std::vector<double>& b, size_t n, size_t m) {
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / a[j * n + j];
    }
  for (size_t c = 0; c < m; ++c) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < i; ++k) b[i * m + c] -= a[i * n + k] * b[k * m + c];
      b[i * m + c] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
      for (size_t k = i + 1; k < n; ++k) b[i * m + c] -= a[k * n + i] * b[k * m + c];
      b[i * m + c] /= a[i * n + i];
    }
  }
}

// the inputs themselves, random features tanh(w x + b), and 1
Table features_of(const Table& inputs, size_t features, int threads) {
  Rng rng(7);
  const size_t d = inputs.columns;
  std::vector<double> weight(features * d), bias(features);
  for (double& w : weight) w = rng.normal() / std::sqrt(static_cast<double>(d)) * 1.5;
  for (double& b : bias) b = rng.normal();
  Table out{.columns = d + features + 1, .values = std::vector<double>(inputs.rows() * (d + features + 1))};
  parallel_blocks(inputs.rows(), 256, threads, [&](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      const auto x = inputs.row(i);
      const auto y = out.row(i);
      std::ranges::copy(x, y.begin());
      for (size_t f = 0; f < features; ++f) {
        double sum = bias[f];
        for (size_t k = 0; k < d; ++k) sum += weight[f * d + k] * x[k];
        y[d + f] = std::tanh(sum);
      }
      y[d + features] = 1;
    }
  });
  return out;
}

}  // namespace

void normalize(Table& first, Table& second) {
  for (size_t k = 0; k < first.columns; ++k) {
    double sum = 0, square = 0;
    for (size_t i = 0; i < first.rows(); ++i) sum += first.row(i)[k];
    const double n = static_cast<double>(first.rows()), mean = sum / n;
    for (size_t i = 0; i < first.rows(); ++i) square += std::pow(first.row(i)[k] - mean, 2);
    const double deviation = std::sqrt(square / n);
    const double scale = deviation > 1e-9 * (1 + std::abs(mean)) ? 1 / deviation : 0;
    for (Table* t : {&first, &second})
      for (size_t i = 0; i < t->rows(); ++i) t->row(i)[k] = std::clamp((t->row(i)[k] - mean) * scale, -20.0, 20.0);
  }
}

std::vector<double> unexplained(Table train, Table judge, const Table& target, const Table& truth, size_t features) {
  normalize(train, judge);
  const Table x = features_of(train, features, 0), y = features_of(judge, features, 0);
  const size_t p = x.columns, m = target.columns;
  std::vector<double> moments(p * p), weight(p * m);
  parallel_for(p, 0, [&](size_t a) {
    // row a of both products; sums in a fixed order
    for (size_t i = 0; i < x.rows(); ++i) {
      const auto row = x.row(i);
      const double v = row[a];
      for (size_t b = 0; b <= a; ++b) moments[a * p + b] += v * row[b];
      for (size_t c = 0; c < m; ++c) weight[a * m + c] += v * target.row(i)[c];
    }
  });
  for (size_t a = 0; a < p; ++a) moments[a * p + a] += kRidge * static_cast<double>(x.rows());
  solve_positive(moments, weight, p, m);

  std::vector<double> error(m), mean(m), square(m);
  const auto n = static_cast<double>(y.rows());
  for (size_t i = 0; i < y.rows(); ++i)
    for (size_t c = 0; c < m; ++c) mean[c] += truth.row(i)[c] / n;
  for (size_t i = 0; i < y.rows(); ++i) {
    for (size_t c = 0; c < m; ++c) {
      double guess = 0;
      for (size_t a = 0; a < p; ++a) guess += y.row(i)[a] * weight[a * m + c];
      error[c] += std::pow(truth.row(i)[c] - guess, 2);
      square[c] += std::pow(truth.row(i)[c] - mean[c], 2);
    }
  }
  for (size_t c = 0; c < m; ++c) error[c] = square[c] > 0 ? std::clamp(error[c] / square[c], 0.0, 1.0) : 0;
  return error;
}

}  // namespace alps

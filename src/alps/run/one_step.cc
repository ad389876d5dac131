#include "alps/run/one_step.h"

#include <algorithm>
#include <cmath>

#include "alps/base/rng.h"
#include "alps/base/threads.h"
#include "alps/data/check.h"
#include "alps/data/jumps.h"

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

struct Table {
  size_t columns = 0;
  std::vector<double> values;  // (rows, columns)
  size_t rows() const { return columns ? values.size() / columns : 0; }
  std::span<double> row(size_t i) { return std::span(values).subspan(i * columns, columns); }
  std::span<const double> row(size_t i) const { return std::span(values).subspan(i * columns, columns); }
};

// zero mean and unit deviation, as the first table has them; columns without change become 0
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

// unexplained share of each target on the judged rows
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

}  // namespace

OneStepError one_step_error(const Dataset& data, const OneStepParams& params) {
  OneStepError result;
  if (data.image()) return result;
  // leaps are no motion, and steps need one before them
  const std::vector<Episode> whole = cut_after(data.episodes, find_leaps(data.observations, data.episodes).rows);
  std::vector<Episode> fitted, judged;
  for (size_t i = 0; i < whole.size(); ++i) {
    Episode e = whole[i];
    if (e.rows() < 3) continue;
    ++e.first;
    if (whole.size() >= 5) {
      (i % 5 == 4 ? judged : fitted).push_back(e);
    } else {  // the last fifth of each
      const size_t cut = e.last - (e.last - e.first) / 5;
      if (cut > e.first) fitted.push_back({e.first, cut});
      if (e.last > cut) judged.push_back({cut, e.last});
    }
  }
  const std::vector<size_t> rows[2] = {even_steps(fitted, params.steps), even_steps(judged, params.judged)};
  const size_t columns = data.observation_size(), actions = data.action_size();
  const size_t inputs = 2 * (columns + actions);
  if (rows[0].size() < 4 * (inputs + params.features) || rows[1].size() < 50) return result;

  Table now[2], past[2], change[2];
  std::vector<float> one, two;
  for (int t = 0; t < 2; ++t) {
    now[t].columns = columns + actions;
    past[t].columns = inputs;
    change[t].columns = columns;
    for (const size_t row : rows[t]) {
      const auto here = data.observations.floats(row, one), next = data.observations.floats(row + 1, two);
      const auto action = data.actions.row<float>(row), action_before = data.actions.row<float>(row - 1);
      for (size_t k = 0; k < columns; ++k) change[t].values.push_back(static_cast<double>(next[k]) - here[k]);
      for (auto* table : {&now[t], &past[t]}) {
        table->values.insert(table->values.end(), here.begin(), here.end());
        table->values.insert(table->values.end(), action.begin(), action.end());
      }
      // the step before, not the state before: a small difference of large numbers would drown
      const auto before = data.observations.floats(row - 1, two);
      for (size_t k = 0; k < columns; ++k) past[t].values.push_back(static_cast<double>(here[k]) - before[k]);
      past[t].values.insert(past[t].values.end(), action_before.begin(), action_before.end());
    }
  }
  normalize(change[0], change[1]);
  const auto alone = unexplained(now[0], now[1], change[0], change[1], params.features),
             with_past = unexplained(past[0], past[1], change[0], change[1], params.features);
  for (size_t k = 0; k < columns; ++k) {
    double moved = 0;
    for (size_t i = 0; i < change[1].rows(); ++i) moved += std::abs(change[1].row(i)[k]);
    if (moved == 0) continue;
    result.columns.push_back(k);
    result.now.push_back(alone[k]);
    result.with_past.push_back(std::min(alone[k], with_past[k]));
  }
  result.steps = rows[1].size();
  return result;
}

}  // namespace alps

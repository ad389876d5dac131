#include "alps/plan/goal_value.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/nn/interval_union.h"
#include "alps/plan/network_policy.h"
#include "alps/plan/rollout.h"

namespace alps {
namespace {

// network(first, second), row by row; a single row of `second` goes with all rows of `first`
std::vector<float> answers(const Mlp& network, std::span<const float> first, std::span<const float> second, size_t rows,
                           int threads) {
  const size_t a = first.size() / rows, total = network.inputs(), b = total - a;
  ALPS_CHECK(second.size() == b || second.size() == rows * b);
  std::vector<float> in(rows * total), out(rows * network.outputs());
  for (size_t r = 0; r < rows; ++r) {
    std::copy_n(first.data() + r * a, a, &in[r * total]);
    std::copy_n(second.data() + (second.size() == b ? 0 : r * b), b, &in[r * total + a]);
  }
  network.forward(in, out, threads);
  return out;
}

std::vector<float> mean_of(std::vector<float> one, const std::vector<float>& two) {
  for (size_t i = 0; i < one.size(); ++i) one[i] = (one[i] + two[i]) / 2;
  return one;
}

std::vector<float> hiql_values(const Bundle& bundle, std::span<const float> states, std::span<const float> goal,
                               size_t rows, int threads) {
  std::vector<float> phi = answers(bundle.network("goal"), states, goal, rows, threads);
  const size_t d = phi.size() / rows;
  for (size_t r = 0; r < rows; ++r) set_root_length(std::span(phi).subspan(r * d, d));
  return mean_of(answers(bundle.network("value_one"), states, phi, rows, threads),
                 answers(bundle.network("value_two"), states, phi, rows, threads));
}

// of hilp and gas
std::vector<float> latent_values(const Bundle& bundle, std::span<const float> states, std::span<const float> goal,
                                 size_t rows, int threads) {
  const Mlp& phi = bundle.network("phi");
  const size_t d = phi.outputs();
  std::vector<float> here(rows * d), there(d), out(rows);
  phi.forward(states, here, threads);
  phi.forward(goal, there);
  for (size_t r = 0; r < rows; ++r)
    out[r] = -static_cast<float>(std::sqrt(squared_distance(std::span(here).subspan(r * d, d), there)));
  return out;
}

std::vector<float> qrl_values(const Bundle& bundle, std::span<const float> states, std::span<const float> goal,
                              size_t rows, int threads) {
  constexpr size_t kGroup = 8;
  const Mlp& phi = bundle.network("phi");
  const size_t d = phi.outputs(), groups = d / kGroup;
  const float alpha = bundle.vector("phi.alpha").at(0);
  std::vector<float> here(rows * d), there(d), out(rows);
  phi.forward(states, here, threads);
  phi.forward(goal, there);
  std::vector<int64_t> order;
  for (size_t r = 0; r < rows; ++r) {
    float sum = 0, most = 0;
    for (size_t g = 0; g < groups; ++g) {
      const float *x = &here[r * d + g * kGroup], *y = &there[g * kGroup];
      float length = 0;
      walk_union(x, y, kGroup, order, [&](int64_t first, int64_t last) { length += y[last] - x[first]; });
      sum += length;
      most = std::max(most, length);
    }
    out[r] = -(alpha * sum / static_cast<float>(groups) + (1 - alpha) * most);
  }
  return out;
}

std::vector<float> crl_values(const Bundle& bundle, std::span<const float> states, std::span<const float> goal,
                              size_t rows, int threads) {
  std::vector<float> actions = answers(bundle.network("actor"), states, goal, rows, threads), out(rows, INFINITY);
  for (float& a : actions) a = std::clamp(a, -1.0f, 1.0f);
  for (const char* twin : {"_one", "_two"}) {
    const Mlp& psi = bundle.network(std::string("psi") + twin);
    const size_t d = psi.outputs();
    std::vector<float> there(d);
    psi.forward(goal, there);
    const std::vector<float> here = answers(bundle.network(std::string("phi") + twin), states, actions, rows, threads);
    for (size_t r = 0; r < rows; ++r) {
      double product = 0;
      for (size_t k = 0; k < d; ++k) product += static_cast<double>(here[r * d + k]) * there[k];
      out[r] = std::min(out[r], static_cast<float>(product / std::sqrt(static_cast<double>(d))));
    }
  }
  return out;
}

}  // namespace

std::string goal_value_name(const Bundle& bundle) {
  if (bundle.has("goal") && bundle.has("value_one")) return "value V(s, phi([s; g]))";
  if (bundle.has("phi"))
    return bundle.vectors.contains("phi.alpha") ? "distance -d(s, g)" : "distance -|phi(s) - phi(g)|";
  if (bundle.has("value_one") || bundle.has("value")) return "value V(s, g)";
  if (bundle.has("phi_one") && bundle.has("psi_one")) return "product phi(s, a) psi(g)";
  return "";
}

std::vector<float> goal_values(const Bundle& bundle, std::span<const float> states, std::span<const float> goal,
                               int threads) {
  const size_t rows = states.size() / bundle.state_size();
  ALPS_CHECK(states.size() == rows * bundle.state_size() && goal.size() == bundle.state_size());
  if (rows == 0) return {};
  if (bundle.has("goal") && bundle.has("value_one")) return hiql_values(bundle, states, goal, rows, threads);
  if (bundle.has("phi"))
    return (bundle.vectors.contains("phi.alpha") ? qrl_values : latent_values)(bundle, states, goal, rows, threads);
  if (bundle.has("value_one"))
    return mean_of(answers(bundle.network("value_one"), states, goal, rows, threads),
                   answers(bundle.network("value_two"), states, goal, rows, threads));
  if (bundle.has("value")) return answers(bundle.network("value"), states, goal, rows, threads);
  if (bundle.has("phi_one") && bundle.has("psi_one")) return crl_values(bundle, states, goal, rows, threads);
  throw Error("the run's method learns no value of goals");
}

}  // namespace alps

// GELU and layer norm against the same in double, rows that are no whole vectors among them; networks that have them,
// written and read. (Gradients of whole networks against PyTorch's autograd: tests/golden/test_agents.py.)
#include "alps/nn/gelu.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/rng.h"
#include "alps/nn/backprop.h"
#include "alps/nn/mlp.h"

namespace alps {
namespace {

using Row = std::vector<double>;

Row gelu_of(Row x) {
  for (double& v : x) v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
  return x;
}

Row norm_of(const Row& h, const std::vector<float>& gain, const std::vector<float>& bias) {
  double mean = 0, variance = 0;
  const double n = static_cast<double>(h.size());
  for (const double v : h) mean += v / n;
  for (const double v : h) variance += (v - mean) * (v - mean) / n;
  Row out;
  for (size_t i = 0; i < h.size(); ++i) out.push_back((h[i] - mean) / std::sqrt(variance + 1e-6) * gain[i] + bias[i]);
  return out;
}

std::vector<float> draw(Rng& rng, size_t n, double scale = 1, double shift = 0) {
  std::vector<float> values(n);
  for (float& v : values) v = static_cast<float>(shift + scale * rng.normal());
  return values;
}

class GeluRows : public testing::TestWithParam<size_t> {};

TEST_P(GeluRows, EqualTheSameInDoubleAndItsDifferences) {
  const size_t n = GetParam();
  Rng rng(3);
  const std::vector<float> in = draw(rng, n, 3), gain = draw(rng, n, 0.2, 1), bias = draw(rng, n, 0.2),
                           c = draw(rng, n);
  const auto plain = [&](const Row& x) { return gelu_of(x); };
  const auto normed = [&](const Row& x) { return norm_of(gelu_of(x), gain, bias); };
  // sum of c * out, and its slope along one input
  const auto slope = [&](const auto& f, size_t k) {
    constexpr double kStep = 1e-5;
    double sum = 0;
    for (const double sign : {1.0, -1.0}) {
      Row x(in.begin(), in.end());
      x[k] += sign * kStep;
      const Row out = f(x);
      for (size_t i = 0; i < n; ++i) sum += sign * c[i] * out[i] / (2 * kStep);
    }
    return sum;
  };
  const Row exact(in.begin(), in.end());

  std::vector<float> out(n), gradient = c;
  gelu(in.data(), n, out.data());
  for (size_t i = 0; i < n; ++i) EXPECT_NEAR(out[i], plain(exact)[i], 2e-6);
  gelu_gradient(in.data(), n, gradient.data());
  for (size_t i = 0; i < n; ++i) EXPECT_NEAR(gradient[i], slope(plain, i), 5e-6);

  if (n == 1) return;  // one number has no deviation
  const RowScale row = gelu_norm(in.data(), n, gain.data(), bias.data(), out.data());
  for (size_t i = 0; i < n; ++i) EXPECT_NEAR(out[i], normed(exact)[i], 5e-6);
  std::vector<float> gains(n, 1.0f), biases(n, 2.0f);  // the row's share is added
  gradient = c;
  gelu_norm_gradient(in.data(), row, gain.data(), n, gradient.data(), gains.data(), biases.data());
  for (size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(gradient[i], slope(normed, i), 1e-5);
    EXPECT_NEAR(gains[i], 1 + c[i] * (normed(exact)[i] - bias[i]) / gain[i], 2e-5);
    EXPECT_NEAR(biases[i], 2 + c[i], 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, GeluRows, testing::Values(1, 5, 8, 37, 512));

TEST(GeluBackprop, DoesNotDependOnThreads) {
  constexpr size_t kRows = 1000, kIn = 5, kWide = 20;
  Rng rng(6);
  const std::vector<float> one = draw(rng, kIn * kWide), two = draw(rng, kWide), bias = draw(rng, kWide),
                           gain = draw(rng, kWide, 0.1, 1), shift = draw(rng, kWide), x = draw(rng, kRows * kIn),
                           c = draw(rng, kRows);
  std::vector<std::vector<float>> first;
  for (const int threads : {1, 3}) {
    Backprop pass;
    pass.start_gelu({{one.data(), bias.data(), kIn, kWide}, {two.data(), bias.data(), kWide, 1}},
                    {{{gain.data(), shift.data()}}}, kRows, threads);
    std::ranges::copy(x, pass.input(0));
    std::vector<float> out(kRows);
    pass.forward(0, kRows, out.data());
    pass.backward(0, kRows, c.data(), nullptr);
    std::vector<std::vector<float>> all = {one, bias, two, {0}, gain, shift, out};
    pass.gradients({.weights = {all[0].data(), all[2].data()},
                    .biases = {all[1].data(), all[3].data()},
                    .gains = {all[4].data()},
                    .shifts = {all[5].data()}});
    // without what the gradients need, the same
    pass.start_gelu({{one.data(), bias.data(), kIn, kWide}, {two.data(), bias.data(), kWide, 1}},
                    {{{gain.data(), shift.data()}}}, kRows, threads, Precision::kFp32, false);
    std::ranges::copy(x, pass.input(0));
    std::vector<float> again(kRows);
    pass.forward(0, kRows, again.data());
    EXPECT_EQ(out, again);
    if (first.empty()) first = all;
    EXPECT_EQ(first, all);
  }
}

TEST(GeluMlp, IsWrittenAndReadAsItIs) {
  Rng rng(4);
  for (const bool norms : {false, true}) {
    std::vector<LayerNorm> list;
    if (norms) list = {{draw(rng, 9, 0.1, 1), draw(rng, 9)}};
    const Mlp mlp =
        Mlp::gelu({Linear(4, 9, draw(rng, 36), draw(rng, 9)), Linear(9, 2, draw(rng, 18), draw(rng, 2))}, list);
    Tensors tensors;
    mlp.store(tensors, "value");
    const Mlp read = Mlp::load(tensors, "value");
    EXPECT_TRUE(read.has_gelu());
    EXPECT_EQ(read.norms().size(), norms ? 1u : 0u);
    const std::vector<float> x = draw(rng, 12);
    std::vector<float> one(6), two(6);
    mlp.forward(x, one);
    read.forward(x, two);
    EXPECT_EQ(one, two);
    tensors.metadata[std::string(kUnits) + "value"] = "sine";
    EXPECT_THROW(Mlp::load(tensors, "value"), Error);
  }
}

}  // namespace
}  // namespace alps

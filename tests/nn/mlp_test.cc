#include "alps/nn/mlp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/rng.h"

namespace alps {
namespace {

std::vector<float> random(Rng& rng, size_t count, double scale = 1) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(scale * rng.normal());
  return values;
}

Mlp random_mlp(Rng& rng, std::vector<size_t> sizes, bool norm) {
  std::vector<Linear> layers;
  for (size_t i = 0; i + 1 < sizes.size(); ++i)
    layers.emplace_back(sizes[i], sizes[i + 1], random(rng, sizes[i] * sizes[i + 1], 1 / std::sqrt(sizes[i])),
                        random(rng, sizes[i + 1]));
  if (!norm) return Mlp(std::move(layers));
  return Mlp(std::move(layers), random(rng, sizes[1]), random(rng, sizes[1]));
}

// plain loops in double
std::vector<double> slow_forward(const Mlp& mlp, std::span<const float> row) {
  std::vector<double> x(row.begin(), row.end());
  for (size_t i = 0; i < mlp.layers().size(); ++i) {
    const Linear& layer = mlp.layers()[i];
    std::vector<double> y(layer.outputs());
    for (size_t o = 0; o < y.size(); ++o) {
      y[o] = layer.bias()[o];
      for (size_t k = 0; k < x.size(); ++k) y[o] += x[k] * layer.weight()[o * x.size() + k];
    }
    if (i + 1 < mlp.layers().size() && i == 0 && !mlp.norm_gain().empty()) {
      double mean = 0, variance = 0;
      for (double v : y) mean += v / y.size();
      for (double v : y) variance += (v - mean) * (v - mean) / y.size();
      for (size_t o = 0; o < y.size(); ++o)
        y[o] = std::tanh((y[o] - mean) / std::sqrt(variance + 1e-5) * mlp.norm_gain()[o] + mlp.norm_bias()[o]);
    } else if (i + 1 < mlp.layers().size()) {
      for (double& v : y) v = std::max(v, 0.0);
    }
    x = y;
  }
  return x;
}

TEST(Mlp, MatchesPlainLoops) {
  Rng rng(1);
  for (const bool norm : {false, true})
    for (const size_t rows : {1u, 5u, 6u, 100u, 257u}) {
      const Mlp mlp = random_mlp(rng, {7, 50, 33, 5}, norm);
      const std::vector<float> in = random(rng, rows * 7);
      std::vector<float> out(rows * 5);
      mlp.forward(in, out);
      for (size_t r = 0; r < rows; ++r) {
        const auto expected = slow_forward(mlp, std::span(in).subspan(r * 7, 7));
        for (size_t o = 0; o < 5; ++o) EXPECT_NEAR(out[r * 5 + o], expected[o], 1e-5 * (1 + std::abs(expected[o])));
      }
    }
}

void expect_the_same_in_any_batch(Precision precision) {
  Rng rng(2);
  const Mlp mlp = random_mlp(rng, {3, 64, 64, 64, 4}, true);
  const std::vector<float> in = random(rng, 1000 * 3);
  std::vector<float> together(4000), threaded(4000), alone(4);
  mlp.forward(in, together, 1, precision);
  mlp.forward(in, threaded, 3, precision);
  EXPECT_EQ(together, threaded);
  for (size_t r = 0; r < 1000; r += 97) {
    mlp.forward(std::span(in).subspan(r * 3, 3), alone, 1, precision);
    for (size_t o = 0; o < 4; ++o) EXPECT_EQ(alone[o], together[r * 4 + o]);
  }
}

TEST(Mlp, ResultDoesNotDependOnBatchOrThreads) { expect_the_same_in_any_batch(Precision::kFp32); }

TEST(Mlp, InBf16) {
  if (!has_bf16()) GTEST_SKIP() << "this processor has no instructions for bf16";
  expect_the_same_in_any_batch(Precision::kBf16);
  // within a hundredth of the outputs' size
  Rng rng(4);
  const Mlp mlp = random_mlp(rng, {7, 256, 256, 256, 5}, true);
  const std::vector<float> in = random(rng, 200 * 7);
  std::vector<float> exact(1000), bf16(1000);
  mlp.forward(in, exact);
  mlp.forward(in, bf16, 1, Precision::kBf16);
  EXPECT_NE(exact, bf16);
  double size = 0;
  for (const float x : exact) size = std::max(size, static_cast<double>(std::abs(x)));
  for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(bf16[i], exact[i], 0.01 * size);
}

TEST(Mlp, StoreAndLoad) {
  Rng rng(3);
  const Mlp mlp = random_mlp(rng, {3, 16, 2}, true);
  Tensors tensors;
  mlp.store(tensors, "p");
  const Mlp again = Mlp::load(tensors, "p");
  const std::vector<float> in = random(rng, 9);
  std::vector<float> one(6), two(6);
  mlp.forward(in, one);
  again.forward(in, two);
  EXPECT_EQ(one, two);
  tensors.arrays["p.1.weight"] = Array(DType::kFloat32, {2, 15});
  EXPECT_THROW(Mlp::load(tensors, "p"), Error);
  EXPECT_THROW(Mlp::load(tensors, "q"), Error);
}

}  // namespace
}  // namespace alps

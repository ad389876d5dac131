// Gradients against differences of a loss, passes in pieces against one pass, and any number of threads. (Against
// PyTorch's autograd: tests/golden/test_learn.py.)
#include "alps/nn/backprop.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/rng.h"

namespace alps {
namespace {

struct Net {
  std::vector<size_t> sizes;
  bool norm;
  std::vector<std::vector<float>> weights, biases;
  std::vector<float> gain, shift;

  Net(std::vector<size_t> sizes_in, bool norm_in) : sizes(std::move(sizes_in)), norm(norm_in) {
    Rng rng(5);
    for (size_t i = 0; i + 1 < sizes.size(); ++i) {
      for (auto* list : {&weights, &biases})
        list->emplace_back(list == &weights ? sizes[i] * sizes[i + 1] : sizes[i + 1]);
      for (auto* values : {&weights.back(), &biases.back()})
        for (float& w : *values) w = static_cast<float>(rng.normal() / std::sqrt(sizes[i]));
    }
    for (size_t i = 0; i < sizes[1]; ++i) {
      gain.push_back(static_cast<float>(1 + 0.1 * rng.normal()));
      shift.push_back(static_cast<float>(0.1 * rng.normal()));
    }
  }

  struct Result {
    double loss = 0;
    std::vector<std::vector<float>> weights, biases;
    std::vector<float> gain, shift, input;
  };

  // loss = sum of c * out, with gradients; the rows in passes of `piece`
  Result run(size_t rows, size_t piece, int threads, Precision precision = Precision::kFp32,
             Backprop* used = nullptr) const {
    Rng rng(9);
    std::vector<Backprop::Layer> layers;
    for (size_t i = 0; i < weights.size(); ++i)
      layers.push_back({weights[i].data(), biases[i].data(), sizes[i], sizes[i + 1]});
    Backprop own, &backprop = used ? *used : own;
    backprop.start(layers, norm ? Backprop::Norm{gain.data(), shift.data()} : Backprop::Norm{}, rows, threads,
                   precision);
    for (size_t i = 0; i < rows * sizes[0]; ++i) backprop.input(0)[i] = static_cast<float>(rng.normal());
    std::vector<float> out(rows * sizes.back()), c(out.size());
    for (float& value : c) value = static_cast<float>(rng.normal());
    Result result{.loss = 0, .weights = weights, .biases = biases, .gain = gain, .shift = shift, .input = {}};
    result.input.resize(rows * sizes[0]);
    for (size_t row = 0; row < rows; row += piece)
      backprop.forward(row, std::min(piece, rows - row), &out[row * sizes.back()]);
    for (size_t row = 0; row < rows; row += piece)
      backprop.backward(row, std::min(piece, rows - row), &c[row * sizes.back()], &result.input[row * sizes[0]]);
    for (size_t i = 0; i < out.size(); ++i) result.loss += static_cast<double>(out[i]) * c[i];
    Backprop::Gradients gradients;
    for (auto& w : result.weights) gradients.weights.push_back(w.data());
    for (auto& b : result.biases) gradients.biases.push_back(b.data());
    if (norm) gradients.gain = result.gain.data();
    if (norm) gradients.bias = result.shift.data();
    backprop.gradients(gradients);
    return result;
  }
};

class BackpropShapes : public testing::TestWithParam<std::pair<std::vector<size_t>, bool>> {};

TEST_P(BackpropShapes, GradientsAreDifferencesOfTheLoss) {
  Net net(GetParam().first, GetParam().second);
  const Net::Result at = net.run(37, 37, 1);
  const auto check = [&](float& parameter, float gradient) {
    const float before = parameter, h = 1e-2f;
    parameter = before + h;
    const double more = net.run(37, 37, 1).loss;
    parameter = before - h;
    const double less = net.run(37, 37, 1).loss;
    parameter = before;
    EXPECT_NEAR((more - less) / (2 * h), gradient, 0.05 * std::abs(gradient) + 0.3);
  };
  for (size_t i = 0; i < net.weights.size(); ++i)
    for (size_t k = 0; k < net.weights[i].size(); k += net.weights[i].size() / 5 + 1)
      check(net.weights[i][k], at.weights[i][k]);
  for (size_t i = 0; i < net.biases.size(); ++i) check(net.biases[i].back(), at.biases[i].back());
  if (net.norm) check(net.gain[3], at.gain[3]);
  if (net.norm) check(net.shift[3], at.shift[3]);
}

TEST_P(BackpropShapes, SameToTheLastBitWhateverTheThreads) {
  const Net net(GetParam().first, GetParam().second);
  const Net::Result one = net.run(301, 301, 1), three = net.run(301, 301, 3);
  EXPECT_EQ(one.weights, three.weights);
  EXPECT_EQ(one.biases, three.biases);
  EXPECT_EQ(one.gain, three.gain);
  EXPECT_EQ(one.input, three.input);
}

TEST_P(BackpropShapes, PassesAddUp) {
  const Net net(GetParam().first, GetParam().second);
  const Net::Result whole = net.run(301, 301, 1), pieces = net.run(301, 43, 2);
  EXPECT_EQ(whole.input, pieces.input);
  for (size_t i = 0; i < whole.weights.size(); ++i)
    for (size_t k = 0; k < whole.weights[i].size(); ++k)
      EXPECT_NEAR(whole.weights[i][k], pieces.weights[i][k], 1e-4 * (1 + std::abs(whole.weights[i][k])));
  for (size_t i = 0; i < whole.biases.size(); ++i)
    for (size_t k = 0; k < whole.biases[i].size(); ++k)
      EXPECT_NEAR(whole.biases[i][k], pieces.biases[i][k], 1e-4 * (1 + std::abs(whole.biases[i][k])));
}

// Rounding to 8 bits turns a few units in a thousand on or off, which moves a sum of random gradients by about the root
// of that; and in any number of threads by the same.
TEST_P(BackpropShapes, InBf16) {
  if (!has_bf16()) GTEST_SKIP() << "this processor has no instructions for bf16";
  const Net net(GetParam().first, GetParam().second);
  const Net::Result exact = net.run(1601, 1601, 1), one = net.run(1601, 1601, 1, Precision::kBf16),
                    three = net.run(1601, 1601, 3, Precision::kBf16), passes = net.run(1601, 402, 2, Precision::kBf16);
  EXPECT_EQ(one.weights, three.weights);
  EXPECT_EQ(one.biases, three.biases);
  EXPECT_EQ(one.gain, three.gain);
  EXPECT_EQ(one.input, three.input);
  EXPECT_EQ(one.input, passes.input);
  EXPECT_NE(one.weights, exact.weights);
  const auto expect_near = [](const std::vector<float>& a, const std::vector<float>& b, double share) {
    double difference = 0, size = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      difference += std::pow(a[i] - b[i], 2);
      size += std::pow(b[i], 2);
    }
    EXPECT_LT(std::sqrt(difference), share * std::sqrt(size));
  };
  for (size_t i = 0; i < exact.weights.size(); ++i) {
    expect_near(one.weights[i], exact.weights[i], 0.1);
    expect_near(one.biases[i], exact.biases[i], 0.1);
    expect_near(passes.weights[i], one.weights[i], 1e-5);
    expect_near(passes.biases[i], one.biases[i], 1e-5);
  }
  if (net.norm) expect_near(one.gain, exact.gain, 0.1);
  if (net.norm) expect_near(one.shift, exact.shift, 0.1);
  expect_near(one.input, exact.input, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Nets, BackpropShapes,
                         testing::Values(std::pair(std::vector<size_t>{2, 32, 48, 5}, true),
                                         std::pair(std::vector<size_t>{7, 19, 33, 17, 3}, false),
                                         std::pair(std::vector<size_t>{5, 160, 150, 2}, true)));

// one object in turn for networks of several shapes, in both precisions
TEST(Backprop, MemoryIsReusedByAnotherNetwork) {
  const Net a({3, 40, 40, 4}, true), b({6, 40, 40, 4}, false), c({2, 20, 2}, false);
  const auto all = [&](Backprop& backprop, Precision precision) {
    std::vector<std::vector<std::vector<float>>> found;
    for (const Net* net : {&a, &b, &c})
      found.push_back(net->run(net == &a ? 200 : 50, 200, 2, precision, &backprop).weights);
    return found;
  };
  Backprop fresh, used;
  const auto expected = all(fresh, Precision::kFp32);
  EXPECT_EQ(all(used, Precision::kFp32), expected);
  if (has_bf16()) {
    const auto rounded = all(used, Precision::kBf16);
    EXPECT_EQ(all(used, Precision::kFp32), expected);
    EXPECT_EQ(all(used, Precision::kBf16), rounded);
  }
  for (const Net* net : {&c, &a, &b}) net->run(90, 90, 1, Precision::kFp32, &used);
  EXPECT_EQ(all(used, Precision::kFp32), expected);
}

}  // namespace
}  // namespace alps

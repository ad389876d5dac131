// Products in bf16 against plain loops that round and add in the same order: equal to the last bit.
#include "alps/nn/bf16_panels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "alps/base/rng.h"

namespace alps {
namespace {

// to the nearest number of 8 bits, ties to even
float rounded(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000u);
}

// a third of the numbers are zero in all rows, as after a ReLU
std::vector<float> inputs_of(Rng& rng, size_t rows, size_t size) {
  std::vector<float> values(rows * size);
  for (size_t k = 0; k < size; ++k) {
    const bool off = rng.uniform(0, 1) < 0.33;
    for (size_t r = 0; r < rows; ++r)
      values[r * size + k] = off ? 0.0f : std::max(0.0f, static_cast<float>(rng.normal() + 0.5));
  }
  return values;
}

struct Layer {
  size_t inputs, outputs;
  std::vector<float> weight, bias;
  Layer(Rng& rng, size_t inputs_in, size_t outputs_in) : inputs(inputs_in), outputs(outputs_in) {
    for (size_t i = 0; i < inputs * outputs; ++i) weight.push_back(static_cast<float>(rng.normal()));
    for (size_t i = 0; i < outputs; ++i) bias.push_back(static_cast<float>(rng.normal()));
  }
};

TEST(Bf16Panels, EqualPlainLoopsToTheLastBit) {
  if (!has_bf16()) GTEST_SKIP() << "this processor has no instructions for bf16";
  Rng rng(1);
  for (const size_t inputs : {1, 2, 15, 16, 17, 31, 32, 33, 100, 512})
    for (const size_t outputs : {1, 16, 17, 29, 32, 33, 64, 100})
      for (const size_t rows : {1, 2, 5, 6, 7, 13}) {
        const Layer layer(rng, inputs, outputs);
        const std::vector<float> in = inputs_of(rng, rows, inputs);
        for (const float least : {0.0f, -std::numeric_limits<float>::infinity()}) {
          Bf16Panels panels;
          panels.pack(layer.weight.data(), layer.bias.data(), inputs, outputs);
          std::vector<float> out(rows * outputs + 1, 77.0f);
          panels.apply(in.data(), rows, out.data(), least);
          EXPECT_EQ(out.back(), 77.0f);  // nothing is written beyond
          for (size_t r = 0; r < rows; ++r)
            for (size_t o = 0; o < outputs; ++o) {
              float sum = layer.bias[o];
              for (size_t k = 0; k < inputs; ++k)
                sum = std::fma(rounded(in[r * inputs + k]), rounded(layer.weight[o * inputs + k]), sum);
              ASSERT_EQ(out[r * outputs + o], std::max(least, sum))
                  << inputs << " x " << outputs << ", row " << r << " of " << rows << ", column " << o;
            }
        }
      }
}

TEST(Bf16Panels, TheTransposeEqualsPlainLoopsToo) {
  if (!has_bf16()) GTEST_SKIP() << "this processor has no instructions for bf16";
  Rng rng(2);
  for (const auto& [inputs, outputs] : {std::pair<size_t, size_t>{37, 64}, {64, 29}, {256, 33}, {5, 1}}) {
    const Layer layer(rng, inputs, outputs);
    const size_t rows = 9;
    const std::vector<float> in = inputs_of(rng, rows, outputs);
    Bf16Panels panels;
    panels.pack_transposed(layer.weight.data(), inputs, outputs);
    std::vector<float> out(rows * inputs);
    panels.apply(in.data(), rows, out.data(), -std::numeric_limits<float>::infinity());
    for (size_t r = 0; r < rows; ++r)
      for (size_t i = 0; i < inputs; ++i) {
        float sum = 0;
        for (size_t o = 0; o < outputs; ++o)
          sum = std::fma(rounded(in[r * outputs + o]), rounded(layer.weight[o * inputs + i]), sum);
        ASSERT_EQ(out[r * inputs + i], sum) << inputs << " x " << outputs;
      }
  }
}

TEST(Bf16Panels, WhatIsNotANumberStaysThat) {
  if (!has_bf16()) GTEST_SKIP() << "this processor has no instructions for bf16";
  Rng rng(3);
  const Layer layer(rng, 40, 20);
  std::vector<float> in = inputs_of(rng, 6, 40), out(6 * 20);
  in[2 * 40 + 7] = std::nanf("");
  Bf16Panels panels;
  panels.pack(layer.weight.data(), layer.bias.data(), 40, 20);
  panels.apply(in.data(), 6, out.data(), 0.0f);
  for (size_t r = 0; r < 6; ++r)
    for (size_t o = 0; o < 20; ++o) EXPECT_EQ(std::isnan(out[r * 20 + o]), r == 2);
}

}  // namespace
}  // namespace alps

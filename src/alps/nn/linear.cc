#include "alps/nn/linear.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "alps/base/error.h"
#include "alps/base/simd.h"

namespace alps {
namespace {

constexpr size_t kPanel = 16;  // outputs computed together
constexpr size_t kRows = 6;    // rows computed together: 6 x 16 floats stay in registers

// out (kRows, kPanel), with rows `stride` apart, = bias + x panel, with panel (inputs, kPanel); at least `least`
ALPS_CLONES void multiply(const float* const* x, size_t inputs, const float* panel, const float* bias, float least,
                          float* out, size_t stride) {
  Vector low[kRows], high[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    low[r] = vector_at(bias);
    high[r] = vector_at(bias + 8);
  }
  for (size_t k = 0; k < inputs; ++k) {
    const Vector w_low = vector_at(panel + k * kPanel), w_high = vector_at(panel + k * kPanel + 8);
#pragma GCC unroll 6
    for (size_t r = 0; r < kRows; ++r) {
      low[r] += x[r][k] * w_low;
      high[r] += x[r][k] * w_high;
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    vector_at(out + r * stride) = low[r] < least ? Vector{} + least : low[r];
    vector_at(out + r * stride + 8) = high[r] < least ? Vector{} + least : high[r];
  }
}

}  // namespace

Linear::Linear(size_t inputs, size_t outputs, std::vector<float> weight, std::vector<float> bias)
    : inputs_(inputs), outputs_(outputs), weight_(std::move(weight)), bias_(std::move(bias)) {
  ALPS_CHECK(weight_.size() == inputs * outputs && bias_.size() == outputs);
  // panel p: its bias, then for each input the weights of its outputs; missing outputs are zero
  const size_t panels = (outputs + kPanel - 1) / kPanel;
  panels_.assign(panels * (inputs + 1) * kPanel, 0.0f);
  for (size_t o = 0; o < outputs; ++o) {
    float* panel = panels_.data() + o / kPanel * (inputs + 1) * kPanel;
    panel[o % kPanel] = bias_[o];
    for (size_t k = 0; k < inputs; ++k) panel[(k + 1) * kPanel + o % kPanel] = weight_[o * inputs + k];
  }
}

void Linear::apply(const float* in, size_t rows, float* out, After after) const {
  const float least = after == After::kRelu ? 0.0f : -std::numeric_limits<float>::infinity();
  float block[kRows * kPanel];
  for (size_t first = 0; first < outputs_; first += kPanel) {
    const float* panel = panels_.data() + first / kPanel * (inputs_ + 1) * kPanel;
    const size_t columns = std::min(kPanel, outputs_ - first);
    for (size_t row = 0; row < rows; row += kRows) {
      // the last block repeats its last row rather than taking another code path
      const float* x[kRows];
      for (size_t r = 0; r < kRows; ++r) x[r] = in + std::min(row + r, rows - 1) * inputs_;
      const bool whole = columns == kPanel && row + kRows <= rows;
      float* to = out + row * outputs_ + first;
      multiply(x, inputs_, panel + kPanel, panel, least, whole ? to : block, whole ? outputs_ : kPanel);
      if (whole) continue;
      for (size_t r = 0; r < std::min(kRows, rows - row); ++r)
        std::copy_n(block + r * kPanel, columns, to + r * outputs_);
    }
  }
}

}  // namespace alps

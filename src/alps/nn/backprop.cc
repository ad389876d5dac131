#include "alps/nn/backprop.h"

#include <algorithm>

#include "alps/base/simd.h"
#include "alps/base/threads.h"
#include "alps/nn/norm_tanh.h"

namespace alps {
namespace {

constexpr size_t kPanel = Panels::kPanel, kTile = Panels::kTile;
constexpr size_t kBlock = 16 * kTile;  // rows that pass through the layers together
constexpr size_t kDepth = 128;         // rows summed in registers before a tile of the result is written

// out (kTile, kPanel), rows `stride` apart, += z^T x with z (rows, kTile) and x (rows, kPanel)
ALPS_CLONES void add_outer(const float* z, const float* x, size_t rows, float* out, size_t stride) {
  Vector low[kTile], high[kTile];
  for (size_t r = 0; r < kTile; ++r) {
    low[r] = vector_at(out + r * stride);
    high[r] = vector_at(out + r * stride + 8);
  }
  for (size_t k = 0; k < rows; ++k) {
    const Vector x_low = vector_at(x + k * kPanel), x_high = vector_at(x + k * kPanel + 8);
#pragma GCC unroll 6
    for (size_t r = 0; r < kTile; ++r) {
      low[r] += z[k * kTile + r] * x_low;
      high[r] += z[k * kTile + r] * x_high;
    }
  }
  for (size_t r = 0; r < kTile; ++r) {
    vector_at(out + r * stride) = low[r];
    vector_at(out + r * stride + 8) = high[r];
  }
}

// columns first .. first + kWide of values (rows, size) side by side as (rows, kWide), zero beyond the last column; out
// has room for two more numbers
template <size_t kWide>
ALPS_INLINE void gather_columns(const float* values, size_t rows, size_t size, size_t first, float* out) {
  size_t r = 0;
  if (first + (kWide + 7) / 8 * 8 <= size)  // whole vectors; what is too much is written over by the next row
    for (; r < rows; ++r)
      for (size_t i = 0; i < kWide; i += 8) vector_at(out + r * kWide + i) = vector_at(values + r * size + first + i);
  for (; r < rows; ++r)
    for (size_t i = 0; i < kWide; ++i) out[r * kWide + i] = first + i < size ? values[r * size + first + i] : 0.0f;
}
ALPS_CLONES void gather_tile(const float* values, size_t rows, size_t size, size_t first, float* out) {
  gather_columns<kTile>(values, rows, size, first, out);
}
ALPS_CLONES void gather_panel(const float* values, size_t rows, size_t size, size_t first, float* out) {
  gather_columns<kPanel>(values, rows, size, first, out);
}

// of the columns of values (rows, size), or of values times factors
ALPS_CLONES void column_sums(const float* values, const float* factors, size_t rows, size_t size, float* sums) {
  std::fill_n(sums, size, 0.0f);
  for (size_t r = 0; r < rows; ++r) {
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
      const Vector value = vector_at(values + r * size + i);
      vector_at(sums + i) += factors ? value * vector_at(factors + r * size + i) : value;
    }
    for (; i < size; ++i) sums[i] += values[r * size + i] * (factors ? factors[r * size + i] : 1.0f);
  }
}

}  // namespace

void Backprop::start(std::vector<Layer> layers, Norm norm, size_t rows, int threads) {
  layers_ = std::move(layers);
  norm_ = norm;
  rows_ = rows;
  threads_ = threads;
  for (auto& [row, sums] : sums_) sums.layers.clear();
  const size_t count = layers_.size();
  for (auto* panels : {&ahead_, &back_}) panels->resize(count);
  for (auto* buffers : {&values_, &gradients_}) buffers->resize(count);
  for (size_t i = 0; i < count; ++i) {
    values_[i].resize(rows * layers_[i].inputs);
    gradients_[i].resize(rows * layers_[i].outputs);
  }
  parallel_for(2 * count, threads, [&](size_t i) {
    const Layer& layer = layers_[i / 2];
    if (i % 2 == 0) return ahead_[i / 2].pack(layer.weight, layer.bias, layer.inputs, layer.outputs);
    return back_[i / 2].pack_transposed(layer.weight, layer.inputs, layer.outputs);
  });
  if (!norm_.gain) return;
  normalized_.resize(rows * layers_.front().outputs);
  norm_gradients_.resize(normalized_.size());
  scales_.resize(rows);
}

void Backprop::forward(size_t first, size_t count, float* out) {
  parallel_blocks(count, kBlock, threads_, [&](size_t begin, size_t end) {
    const size_t row = first + begin, n = end - begin;
    for (size_t i = 0; i < layers_.size(); ++i) {
      const bool last = i + 1 == layers_.size(), norm = i == 0 && norm_.gain;
      const size_t size = layers_[i].outputs;
      float* to = last ? out + begin * size : &values_[i + 1][row * size];
      ahead_[i].apply(&values_[i][row * layers_[i].inputs], n, to,
                      last || norm ? Panels::After::kNothing : Panels::After::kRelu,
                      i > (norm_.gain ? 1 : 0) ? Panels::Input::kRelu : Panels::Input::kDense);
      if (norm && !last)
        for (size_t r = 0; r < n; ++r)
          scales_[row + r] = norm_tanh(to + r * size, size, norm_.gain, norm_.bias, &normalized_[(row + r) * size]);
    }
  });
}

void Backprop::backward(size_t first, size_t count, const float* out_gradient, float* in_gradient) {
  const size_t inputs = layers_.front().inputs, outputs = layers_.back().outputs;
  parallel_blocks(count, kBlock, threads_, [&](size_t begin, size_t end) {
    backward_block(first + begin, end - begin, out_gradient + begin * outputs,
                   in_gradient ? in_gradient + begin * inputs : nullptr);
  });
}

void Backprop::backward_block(size_t first, size_t count, const float* out_gradient, float* in_gradient) {
  Sums& sums = [&]() -> Sums& {
    const std::lock_guard lock(mutex_);
    return sums_[first];
  }();
  sums.layers.resize(layers_.size());
  const size_t outputs = layers_.back().outputs;
  std::copy_n(out_gradient, count * outputs, &gradients_.back()[first * outputs]);
  for (size_t i = layers_.size(); i-- > 0;) {
    const float* gradient = &gradients_[i][first * layers_[i].outputs];
    sums.layers[i].resize(layers_[i].outputs);
    column_sums(gradient, nullptr, count, layers_[i].outputs, sums.layers[i].data());
    const auto input = i + 1 < layers_.size() ? Panels::Input::kRelu : Panels::Input::kDense;
    if (i == 0) {
      if (in_gradient) back_[0].apply(gradient, count, in_gradient, Panels::After::kNothing, input);
      return;
    }
    // through the layer, then through what came before it
    const size_t size = layers_[i].inputs;
    const float* value = &values_[i][first * size];
    float* before = &gradients_[i - 1][first * size];
    if (i > 1 || !norm_.gain) {
      back_[i].apply(gradient, count, before, Panels::After::kMask, input, value);
      continue;
    }
    float *norm = &norm_gradients_[first * size], *normalized = &normalized_[first * size];
    back_[i].apply(gradient, count, norm, Panels::After::kNothing, input);
    for (size_t r = 0; r < count; ++r)
      norm_tanh_gradient(norm + r * size, value + r * size, normalized + r * size, scales_[first + r], norm_.gain, size,
                         before + r * size);
    sums.norm.resize(size);
    sums.gain.resize(size);
    column_sums(norm, nullptr, count, size, sums.norm.data());
    column_sums(norm, normalized, count, size, sums.gain.data());
  }
}

void Backprop::gradients(const Gradients& out) const {
  // some panels of one layer are one thread's work; the order in which rows are summed is always the same
  struct Work {
    size_t layer, first, last;
  };
  std::vector<Work> work;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const size_t panels = (layers_[i].inputs + kPanel - 1) / kPanel, share = std::clamp<size_t>((panels + 1) / 2, 1, 8);
    for (size_t p = 0; p < panels; p += share) work.push_back({i, p, std::min(panels, p + share)});
  }
  parallel_for(work.size(), threads_, [&](size_t i) {
    weight_gradient(work[i].layer, work[i].first, work[i].last, out.weights[work[i].layer]);
  });

  const auto add = [](const std::vector<float>& sums, float* total) {
    for (size_t i = 0; i < sums.size(); ++i) total[i] += sums[i];
  };
  for (size_t i = 0; i < layers_.size(); ++i) std::fill_n(out.biases[i], layers_[i].outputs, 0.0f);
  if (out.gain) std::fill_n(out.gain, layers_.front().outputs, 0.0f);
  if (out.gain) std::fill_n(out.bias, layers_.front().outputs, 0.0f);
  for (const auto& [row, sums] : sums_) {
    for (size_t i = 0; i < sums.layers.size(); ++i) add(sums.layers[i], out.biases[i]);
    if (!out.gain || sums.layers.empty()) continue;
    add(sums.gain, out.gain);
    add(sums.norm, out.bias);
  }
}

// columns of weight (outputs, inputs) = gradients^T values
void Backprop::weight_gradient(size_t layer, size_t first_panel, size_t last_panel, float* weight) const {
  const size_t inputs = layers_[layer].inputs, outputs = layers_[layer].outputs;
  const size_t tiles = (outputs + kTile - 1) / kTile, stride = (last_panel - first_panel) * kPanel;
  constexpr size_t kTileSize = kTile * kDepth + 2;
  const float *z = gradients_[layer].data(), *x = values_[layer].data();
  thread_local std::vector<float> own_sums, own_z_tiles, own_x_panel;
  std::vector<float>&sums = own_sums, &z_tiles = own_z_tiles, &x_panel = own_x_panel;  // looked up once
  sums.assign(tiles * kTile * stride, 0.0f);
  z_tiles.resize(tiles * kTileSize);
  x_panel.resize(kDepth * kPanel);
  for (size_t row = 0; row < rows_; row += kDepth) {
    const size_t depth = std::min(kDepth, rows_ - row);
    for (size_t t = 0; t < tiles; ++t)
      gather_tile(z + row * outputs, depth, outputs, t * kTile, &z_tiles[t * kTileSize]);
    for (size_t p = first_panel; p < last_panel; ++p) {
      gather_panel(x + row * inputs, depth, inputs, p * kPanel, x_panel.data());
      for (size_t t = 0; t < tiles; ++t)
        add_outer(&z_tiles[t * kTileSize], x_panel.data(), depth,
                  &sums[t * kTile * stride + (p - first_panel) * kPanel], stride);
    }
  }
  const size_t first = first_panel * kPanel, columns = std::min(last_panel * kPanel, inputs) - first;
  for (size_t o = 0; o < outputs; ++o) std::copy_n(&sums[o * stride], columns, weight + o * inputs + first);
}

}  // namespace alps

#include "alps/nn/backprop.h"

#include <algorithm>

#include "alps/base/error.h"
#include "alps/base/simd.h"
#include "alps/base/threads.h"
#include "alps/nn/norm_tanh.h"

namespace alps {
namespace {

// whole tiles and panels in both precisions
constexpr size_t kPanel = Bf16Panels::kPanel, kTile = Panels::kTile;
static_assert(kPanel % Panels::kPanel == 0 && kTile == Bf16Panels::kTile && 24 % kTile == 0 && 24 % kOuter == 0);
constexpr size_t kBlock = 96;              // rows that pass through the layers together, at most
constexpr size_t kChunk = 768;             // rows that go back together, at most
constexpr size_t kDepth = 256;             // rows summed in registers before a tile of the result is written (fp32)
constexpr size_t kTiles = 8, kPanels = 4;  // of a weight's gradient that are one thread's work: all of it stays in L2

// Parts of `count` rows of at most `most` each, in pairs of rows: `times` parts or a multiple of that, all of nearly
// the same size, so that threads have the same share. The number of threads must not matter: sums are taken part by
// part.
size_t part_of(size_t count, size_t most, size_t times) {
  const size_t parts = ((count + most - 1) / most + times - 1) / times * times;
  return std::max<size_t>(2, ((count + parts - 1) / parts + 1) / 2 * 2);
}
size_t block_of(size_t count) { return part_of(count, kBlock, 4); }
size_t chunk_of(size_t count) { return part_of(count, kChunk, 1); }

size_t panels_of(const Backprop::Layer& layer) { return (layer.inputs + kPanel - 1) / kPanel; }
// whole tiles in both precisions
size_t sum_rows_of(const Backprop::Layer& layer) { return (layer.outputs + 23) / 24 * 24; }

// out (kTile, Panels::kPanel), rows `stride` apart, += z^T x with z (rows, kTile) and x (rows, kPanel)
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

// columns of values (rows, size) from `first` on in `groups` of kWide side by side, each as (rows, kWide), `distance`
// numbers apart and with room for two more; zero beyond the last column
template <size_t kWide>
ALPS_INLINE void gather_columns(const float* values, size_t rows, size_t size, size_t first, size_t groups,
                                size_t distance, float* out) {
  // whole vectors; what is too much is written over by the next row
  constexpr size_t kVectors = (kWide + 7) / 8;
  const size_t whole = first + 8 * kVectors > size ? 0 : std::min(groups, (size - first - 8 * kVectors) / kWide + 1);
  for (size_t r = 0; r < rows; ++r) {
    const float* from = values + r * size + first;
    float* to = out + r * kWide;
    for (size_t g = 0; g < whole; ++g)
      for (size_t v = 0; v < kVectors; ++v) vector_at(to + g * distance + 8 * v) = vector_at(from + g * kWide + 8 * v);
    for (size_t g = whole; g < groups; ++g)
      for (size_t i = 0; i < kWide; ++i)
        to[g * distance + i] = first + g * kWide + i < size ? from[g * kWide + i] : 0.0f;
  }
}
ALPS_CLONES void gather_tiles(const float* values, size_t rows, size_t size, size_t first, size_t groups,
                              size_t distance, float* out) {
  gather_columns<kTile>(values, rows, size, first, groups, distance, out);
}
ALPS_CLONES void gather_panels(const float* values, size_t rows, size_t size, size_t first, size_t groups,
                               size_t distance, float* out) {
  gather_columns<kPanel>(values, rows, size, first, groups, distance, out);
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

void Backprop::start(std::vector<Layer> layers, Norm norm, size_t rows, int threads, Precision precision) {
  norm_ = norm;
  gelu_ = false;
  keep_ = true;
  gelu_norms_.clear();
  begin(std::move(layers), rows, threads, precision);
  if (!norm_.gain) return;
  normalized_.resize(rows * layers_.front().outputs);
  norm_gradients_.resize(gradients_.front().size());
  scales_.resize(rows);
}

void Backprop::start_gelu(std::vector<Layer> layers, Gelu units, size_t rows, int threads, Precision precision,
                          bool keep) {
  ALPS_CHECK(units.norms.empty() || units.norms.size() + 1 == layers.size());
  norm_ = {};
  gelu_ = true;
  keep_ = keep;
  gelu_norms_ = std::move(units.norms);
  begin(std::move(layers), rows, threads, precision);
  if (!keep) return;
  before_.resize(layers_.size() - 1);
  rescaled_.resize(gelu_norms_.size());
  for (size_t i = 0; i < before_.size(); ++i) before_[i].resize(rows * layers_[i].outputs);
  for (auto& list : rescaled_) list.resize(rows);
}

void Backprop::begin(std::vector<Layer> layers, size_t rows, int threads, Precision precision) {
  layers_ = std::move(layers);
  rows_ = rows;
  threads_ = threads;
  precision_ = precision;
  for (auto& [row, sums] : sums_) sums.layers.clear();
  const size_t count = layers_.size();
  for (auto* panels : {&ahead_, &back_}) panels->resize(count);
  for (auto* buffers : {&values_, &gradients_, &weight_sums_}) buffers->resize(count);
  gradient_pairs_.resize(count);
  value_pairs_.resize(count);
  const size_t chunk = std::min(rows + rows % 2, kChunk);
  for (size_t i = 0; i < count; ++i) {
    if (as_floats(i)) values_[i].resize(rows * layers_[i].inputs);
    if (!keep_) continue;
    gradients_[i].resize(chunk * layers_[i].outputs);
    weight_sums_[i].assign(sum_rows_of(layers_[i]) * panels_of(layers_[i]) * kPanel, 0.0f);
    if (precision == Precision::kFp32) continue;
    gradient_pairs_[i].resize(chunk, layers_[i].outputs);
    value_pairs_[i].resize(rows, layers_[i].inputs);
  }
  parallel_for(2 * count, threads, [&](size_t i) {
    const Layer& layer = layers_[i / 2];
    if (i % 2 == 1 && !keep_) return;
    if (i % 2 == 1) return back_[i / 2].pack_transposed(layer.weight, layer.inputs, layer.outputs, precision);
    return ahead_[i / 2].pack(layer.weight, layer.bias, layer.inputs, layer.outputs,
                              i == 0 ? Precision::kFp32 : precision);
  });
}

void Backprop::forward(size_t first, size_t count, float* out) {
  ALPS_CHECK(precision_ == Precision::kFp32 || first % 2 == 0);
  parallel_blocks(count, block_of(count), threads_, [&](size_t begin, size_t end) {
    forward_block(first + begin, end - begin, out + begin * layers_.back().outputs);
  });
}

void Backprop::forward_block(size_t first, size_t count, float* out) {
  // what is not kept as floats goes from layer to layer in two buffers
  thread_local std::vector<float> own_here, own_there;
  std::vector<float>*here = &own_here, *there = &own_there;
  const float* in = &values_[0][first * layers_[0].inputs];
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (precision_ == Precision::kBf16 && keep_) value_pairs_[i].put(first, in, count, layers_[i].inputs);
    const bool last = i + 1 == layers_.size(), norm = i == 0 && norm_.gain;
    const size_t size = layers_[i].outputs;
    float* to = out;
    if (!last && as_floats(i + 1)) {
      to = &values_[i + 1][first * size];
    } else if (!last) {
      if (there->size() < count * size) there->resize(count * size);
      to = there->data();
      std::swap(here, there);
    }
    float* product = gelu_ && keep_ && !last ? &before_[i][first * size] : to;
    ahead_[i].apply(in, count, product, last || norm || gelu_ ? Panels::After::kNothing : Panels::After::kRelu,
                    i > (norm_.gain ? 1 : 0) && !gelu_ ? Panels::Input::kRelu : Panels::Input::kDense);
    if (gelu_ && !last) gelu_forward(i, first, count, product, to);
    if (norm && !last)
      for (size_t r = 0; r < count; ++r)
        scales_[first + r] = norm_tanh(to + r * size, size, norm_.gain, norm_.bias, &normalized_[(first + r) * size]);
    in = to;
  }
}

void Backprop::gelu_forward(size_t layer, size_t first, size_t count, const float* in, float* out) {
  const size_t size = layers_[layer].outputs;
  for (size_t r = 0; r < count; ++r) {
    if (gelu_norms_.empty()) {
      gelu(in + r * size, size, out + r * size);
      continue;
    }
    const Norm& norm = gelu_norms_[layer];
    const RowScale row = gelu_norm(in + r * size, size, norm.gain, norm.bias, out + r * size);
    if (keep_) rescaled_[layer][first + r] = row;
  }
}

void Backprop::backward(size_t first, size_t count, const float* out_gradient, float* in_gradient, Of of) {
  const size_t inputs = layers_.front().inputs, outputs = layers_.back().outputs;
  for (size_t chunk = 0, size = chunk_of(count); chunk < count; chunk += size) {
    const size_t rows = std::min(size, count - chunk);
    parallel_blocks(rows, block_of(rows), threads_, [&](size_t begin, size_t end) {
      const size_t row = chunk + begin;
      backward_block(first + row, end - begin, out_gradient + row * outputs,
                     in_gradient ? in_gradient + row * inputs : nullptr, first + chunk, of);
    });
    if (of == Of::kAll) add_weight_gradients(first + chunk, rows);
  }
}

void Backprop::backward_block(size_t first, size_t count, const float* out_gradient, float* in_gradient, size_t chunk,
                              Of of) {
  Sums& sums = [&]() -> Sums& {
    const std::lock_guard lock(mutex_);
    return sums_[first];
  }();
  sums.layers.resize(layers_.size());
  for (auto* list : {&sums.gains, &sums.shifts}) list->resize(gelu_norms_.size());
  const size_t outputs = layers_.back().outputs, row = first - chunk;
  std::copy_n(out_gradient, count * outputs, &gradients_.back()[row * outputs]);
  for (size_t i = layers_.size(); i-- > 0;) {
    const size_t size = layers_[i].inputs;
    const float* gradient = &gradients_[i][row * layers_[i].outputs];
    const float* value = as_floats(i) ? &values_[i][first * size] : nullptr;
    sums.layers[i].resize(layers_[i].outputs);
    column_sums(gradient, nullptr, count, layers_[i].outputs, sums.layers[i].data());
    if (precision_ == Precision::kBf16 && of == Of::kAll)
      gradient_pairs_[i].put(row, gradient, count, layers_[i].outputs);
    const auto input = i + 1 < layers_.size() && !gelu_ ? Panels::Input::kRelu : Panels::Input::kDense;
    if (i == 0) {
      if (in_gradient) back_[0].apply(gradient, count, in_gradient, Panels::After::kNothing, input);
      return;
    }
    // through the layer, then through what came before it
    float* before = &gradients_[i - 1][row * size];
    if (gelu_) {
      back_[i].apply(gradient, count, before, Panels::After::kNothing, input);
      const float* in = &before_[i - 1][first * size];
      if (!gelu_norms_.empty())
        for (auto* list : {&sums.gains, &sums.shifts}) (*list)[i - 1].assign(size, 0.0f);
      for (size_t r = 0; r < count; ++r)
        if (gelu_norms_.empty())
          gelu_gradient(in + r * size, size, before + r * size);
        else
          gelu_norm_gradient(in + r * size, rescaled_[i - 1][first + r], gelu_norms_[i - 1].gain, size,
                             before + r * size, sums.gains[i - 1].data(), sums.shifts[i - 1].data());
      continue;
    }
    if (i > 1 || !norm_.gain) {
      back_[i].apply(gradient, count, before, value ? Panels::After::kMask : Panels::After::kNothing, input, value);
      if (!value) value_pairs_[i].clear_where_zero(first, count, size, before);
      continue;
    }
    float *norm = &norm_gradients_[row * size], *normalized = &normalized_[first * size];
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

// gradients^T values of a chunk, in pieces; the order in which the rows of a piece are summed is always the same
void Backprop::add_weight_gradients(size_t chunk, size_t count) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const size_t tiles = (layers_[i].outputs + tile_of_weights() - 1) / tile_of_weights(),
                 panels = panels_of(layers_[i]);
    for (size_t t = 0; t < tiles; t += kTiles)
      for (size_t p = 0; p < panels; p += kPanels)
        pieces.push_back({i, t, std::min(kTiles, tiles - t), p, std::min(kPanels, panels - p)});
  }
  parallel_for(pieces.size(), threads_, [&](size_t i) {
    precision_ == Precision::kBf16 ? add_bf16_piece(pieces[i], chunk, count) : add_piece(pieces[i], chunk, count);
  });
}

void Backprop::add_piece(const Piece& piece, size_t chunk, size_t count) {
  constexpr size_t kTileSize = kTile * kDepth + 8, kPanelSize = kPanel * kDepth + 8;
  const Layer& layer = layers_[piece.layer];
  const size_t stride = panels_of(layer) * kPanel;
  thread_local std::vector<float> own_z(kTiles * kTileSize), own_x(kPanels * kPanelSize);
  float *z = own_z.data(), *x = own_x.data();
  for (size_t row = 0; row < count; row += kDepth) {
    const size_t depth = std::min(kDepth, count - row);
    gather_tiles(&gradients_[piece.layer][row * layer.outputs], depth, layer.outputs, piece.tile * kTile, piece.tiles,
                 kTileSize, z);
    gather_panels(&values_[piece.layer][(chunk + row) * layer.inputs], depth, layer.inputs, piece.panel * kPanel,
                  piece.panels, kPanelSize, x);
    for (size_t p = 0; p < piece.panels; ++p)
      for (size_t half = 0; half < kPanel; half += Panels::kPanel)
        for (size_t t = 0; t < piece.tiles; ++t)
          add_outer(z + t * kTileSize, x + p * kPanelSize + half, depth,
                    &weight_sums_[piece.layer][(piece.tile + t) * kTile * stride + (piece.panel + p) * kPanel + half],
                    stride);
  }
}

void Backprop::add_bf16_piece(const Piece& piece, size_t chunk, size_t count) {
  const size_t stride = panels_of(layers_[piece.layer]) * kPanel;
  for (size_t p = piece.panel; p < piece.panel + piece.panels; ++p)
    for (size_t t = piece.tile; t < piece.tile + piece.tiles; ++t)
      add_bf16_outer(gradient_pairs_[piece.layer].group(t), value_pairs_[piece.layer].group(p, chunk), (count + 1) / 2,
                     &weight_sums_[piece.layer][t * kOuter * stride + p * kPanel], stride);
}

void Backprop::gradients(const Gradients& out) const {
  const auto add = [](const std::vector<float>& sums, float* total) {
    for (size_t i = 0; i < sums.size(); ++i) total[i] += sums[i];
  };
  for (size_t i = 0; i < layers_.size(); ++i) {
    const size_t inputs = layers_[i].inputs, stride = panels_of(layers_[i]) * kPanel;
    for (size_t o = 0; o < layers_[i].outputs; ++o)
      std::copy_n(&weight_sums_[i][o * stride], inputs, out.weights[i] + o * inputs);
    std::fill_n(out.biases[i], layers_[i].outputs, 0.0f);
  }
  if (out.gain) std::fill_n(out.gain, layers_.front().outputs, 0.0f);
  if (out.gain) std::fill_n(out.bias, layers_.front().outputs, 0.0f);
  for (size_t i = 0; i < out.gains.size(); ++i)
    for (float* total : {out.gains[i], out.shifts[i]}) std::fill_n(total, layers_[i].outputs, 0.0f);
  for (const auto& [row, sums] : sums_) {
    for (size_t i = 0; i < sums.layers.size(); ++i) add(sums.layers[i], out.biases[i]);
    for (size_t i = 0; i < out.gains.size() && !sums.layers.empty(); ++i) {
      add(sums.gains[i], out.gains[i]);
      add(sums.shifts[i], out.shifts[i]);
    }
    if (!out.gain || sums.layers.empty()) continue;
    add(sums.gain, out.gain);
    add(sums.norm, out.bias);
  }
}

}  // namespace alps

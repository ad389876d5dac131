// Forward and backward passes of a small network for training: the layers of Mlp, with what the gradients need kept;
// between them ReLU, or layer norm and tanh after the first, or GELU (nn/gelu.h), alone or with layer norms.
// Several passes (the steps of a rollout) may share one object, each with its own rows, so that the gradients of the
// weights are one product over all of them. Results do not depend on the number of threads. Checked against PyTorch's
// autograd in tests/golden.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "alps/nn/gelu.h"
#include "alps/nn/panels.h"

namespace alps {

class Backprop {
 public:
  struct Layer {
    const float *weight, *bias;  // (outputs, inputs), (outputs)
    size_t inputs, outputs;
  };
  struct Norm {
    const float *gain = nullptr, *bias = nullptr;  // null: ReLU after the first layer
  };
  struct Gelu {
    std::vector<Norm> norms;  // after the units of each hidden layer, or none
  };

  // Before the first pass of each step: `rows` of all passes together. The weights must not change until the gradients
  // are taken. Memory is kept from step to step. In bf16 sums, weights' gradients and the first layer's inputs on their
  // way ahead stay in fp32, and passes begin at even rows.
  void start(std::vector<Layer> layers, Norm norm, size_t rows, int threads, Precision precision = Precision::kFp32);
  // without `keep`, what the gradients need is not kept: only `forward` follows
  void start_gelu(std::vector<Layer> layers, Gelu units, size_t rows, int threads,
                  Precision precision = Precision::kFp32, bool keep = true);

  // the rows of a pass are written here first
  float* input(size_t row) { return values_[0].data() + row * layers_.front().inputs; }

  // out (count, outputs) of rows first .. first + count
  void forward(size_t first, size_t count, float* out);
  // from the gradient of what `forward` gave, (count, outputs), to that of the input (count, inputs), unless null
  enum class Of { kAll, kInput };  // kInput: not of the weights
  void backward(size_t first, size_t count, const float* out_gradient, float* in_gradient, Of of = Of::kAll);

  // sums over all rows, once they have all gone back: weights and biases of each layer, as large as themselves, and of
  // the layer norm unless null, or of GELU's layer norms
  struct Gradients {
    std::vector<float*> weights, biases;
    float *gain = nullptr, *bias = nullptr;
    std::vector<float*> gains, shifts;
  };
  void gradients(const Gradients& out) const;

 private:
  void forward_block(size_t first, size_t count, float* out);
  void backward_block(size_t first, size_t count, const float* out_gradient, float* in_gradient, size_t chunk, Of of);
  void begin(std::vector<Layer> layers, size_t rows, int threads, Precision precision);
  void gelu_forward(size_t layer, size_t first, size_t count, const float* in, float* out);
  void add_weight_gradients(size_t chunk, size_t count);
  struct Piece {  // of the gradient of a layer's weight: some tiles and panels
    size_t layer, tile, tiles, panel, panels;
  };
  void add_piece(const Piece& piece, size_t chunk, size_t count);
  void add_bf16_piece(const Piece& piece, size_t chunk, size_t count);
  bool as_floats(size_t layer) const {  // whether what goes into it is kept as floats
    return (precision_ == Precision::kFp32 && keep_) || layer == 0 || (layer == 1 && norm_.gain);
  }
  size_t tile_of_weights() const { return precision_ == Precision::kBf16 ? kOuter : Panels::kTile; }

  std::vector<Layer> layers_;
  Norm norm_;
  size_t rows_ = 0;
  int threads_ = 1;
  Precision precision_ = Precision::kFp32;
  std::vector<Panels> ahead_, back_;
  // what goes into each layer, (rows, inputs); in bf16 as pairs, and as floats only before the first layer and, after a
  // layer norm, before the second
  std::vector<std::vector<float>> values_;
  std::vector<Bf16Pairs<Bf16Panels::kPanel>> value_pairs_;
  // Rows go back in chunks that stay in the cache until they are in the weights' gradients. Of the present one: the
  // gradients of what each layer's product gives, (rows of a chunk, outputs), and in bf16 the same in pairs.
  std::vector<std::vector<float>> gradients_;
  std::vector<Bf16Pairs<kOuter>> gradient_pairs_;
  // of the weights, over the rows that have gone back: (outputs, inputs), each rounded up to whole tiles and panels
  std::vector<std::vector<float>> weight_sums_;
  std::vector<float> normalized_, scales_, norm_gradients_;
  bool gelu_ = false, keep_ = true;
  std::vector<Norm> gelu_norms_;
  std::vector<std::vector<float>> before_;       // what goes into the units after each layer, (rows, outputs)
  std::vector<std::vector<RowScale>> rescaled_;  // by the layer norms, (rows)
  // sums of columns over blocks of rows: of the gradients of each layer, of norm_gradients_, and of those times
  // normalized_
  struct Sums {
    std::vector<std::vector<float>> layers;
    std::vector<float> norm, gain;
    std::vector<std::vector<float>> gains, shifts;  // of GELU's layer norms
  };
  std::map<size_t, Sums> sums_;  // by the first row of the block
  std::mutex mutex_;             // of the map
};

}  // namespace alps

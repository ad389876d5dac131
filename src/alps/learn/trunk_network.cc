#include "alps/learn/trunk_network.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>

namespace alps {
namespace {

// positions y0 .. y1 - 1, x0 .. x1 - 1 of a map; pixels, or outputs of a convolution
struct Box {
  int y0 = 0, y1 = 0, x0 = 0, x1 = 0;
  bool has(int y, int x) const { return y >= y0 && y < y1 && x >= x0 && x < x1; }
  int at(int y, int x) const { return (y - y0) * (x1 - x0) + x - x0; }
  int area() const { return (y1 - y0) * (x1 - x0); }
};

struct Size {
  int height, width;
};

// the box of pixels that are not black; empty for a black image
Box content(const uint8_t* image, Size size, int channels) {
  Box box{size.height, 0, size.width, 0};
  const int row = size.width * channels;
  for (int y = 0; y < size.height; ++y) {
    const uint8_t* pixels = image + static_cast<ptrdiff_t>(y) * row;
    const uint8_t* first = std::find_if(pixels, pixels + row, [](uint8_t p) { return p != 0; });
    if (first == pixels + row) continue;
    int last = row - 1;
    while (pixels[last] == 0) --last;
    box = {std::min(box.y0, y), y + 1, std::min(box.x0, static_cast<int>(first - pixels) / channels),
           std::max(box.x1, last / channels + 1)};
  }
  return box.y1 == 0 ? Box{} : box;
}

// the outputs whose patch touches the box
Box touched(const Box& box, const ConvShape& shape, Size out) {
  if (box.area() == 0) return {};
  const int k = static_cast<int>(shape.kernel), s = static_cast<int>(shape.stride);
  const auto first = [&](int from) { return from < k ? 0 : (from - k) / s + 1; };
  Box result{first(box.y0), std::min(out.height, (box.y1 - 1) / s + 1), first(box.x0),
             std::min(out.width, (box.x1 - 1) / s + 1)};
  return result.y0 >= result.y1 || result.x0 >= result.x1 ? Box{} : result;
}

Size convolved(Size in, const ConvShape& shape) {
  const int k = static_cast<int>(shape.kernel), s = static_cast<int>(shape.stride);
  return {(in.height - k) / s + 1, (in.width - k) / s + 1};
}

// rows of a table (m, c), chosen by index: (index.size() / group, group * c)
class Gather : public torch::autograd::Function<Gather> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& table, const at::Tensor& index,
                            int64_t group) {
    context->save_for_backward({index});
    context->saved_data["rows"] = table.size(0);
    const int64_t n = index.numel(), c = table.size(1);
    const at::Tensor from = table.contiguous();
    at::Tensor out = at::empty({n / group, group * c}, from.options());
    const float* source = from.const_data_ptr<float>();
    const int32_t* rows = index.const_data_ptr<int32_t>();
    float* to = out.mutable_data_ptr<float>();
    for (int64_t i = 0; i < n; ++i) std::copy_n(source + rows[i] * c, c, to + i * c);
    return out;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grads) {
    const at::Tensor index = context->get_saved_variables()[0], grad = grads[0].contiguous();
    const int64_t n = index.numel(), c = grad.numel() / n;
    at::Tensor sums = at::zeros({context->saved_data["rows"].toInt(), c}, grad.options());
    const float* from = grad.const_data_ptr<float>();
    const int32_t* rows = index.const_data_ptr<int32_t>();
    float* to = sums.mutable_data_ptr<float>();
    for (int64_t i = 0; i < n; ++i)
      for (int64_t k = 0; k < c; ++k) to[rows[i] * c + k] += from[i * c + k];
    return {sums, at::Tensor(), at::Tensor()};
  }
};

// the product of two tents over k pixels, each summing to one over the strides of k / 2
at::Tensor tent_kernel(int64_t k) {
  const at::Tensor tent = 1 - (2 * at::arange(k, at::kFloat) + 1 - k).abs() / k;
  return at::outer(tent, tent);
}

at::Tensor index_tensor(const std::vector<int32_t>& values) {
  return at::from_blob(const_cast<int32_t*>(values.data()), {static_cast<int64_t>(values.size())}, at::kInt).clone();
}

}  // namespace

TrunkNetwork::TrunkNetwork(const Shape& image, const TrunkSettings& settings, Rng rng, at::Device device)
    : image_(image), shape_(settings.shape()) {
  const size_t features = trunk_features(image, shape_), outputs = static_cast<size_t>(settings.latent);
  const bool tents = settings.trunk_start == "tents", first_tents = settings.trunk_first == "tents";
  int64_t channels = static_cast<int64_t>(image[2]);
  if (first_tents) tent_ = tent_kernel(static_cast<int64_t>(shape_[0].kernel)).to(device);
  for (const ConvShape& shape : shape_) {
    // a tent has one number, its height; only that of the first layer stays a tent in training
    const bool first = weights_.empty(), fixed = first && first_tents, heights = fixed || tents;
    const int64_t kernel = heights ? 1 : static_cast<int64_t>(shape.kernel), out = static_cast<int64_t>(shape.channels);
    const double fan_in = static_cast<double>(channels * kernel * kernel);
    at::Tensor weight = start_values({out, channels, kernel, kernel}, fan_in, rng, device);
    if (heights && !fixed)
      weight = (weight.detach() * tent_kernel(static_cast<int64_t>(shape.kernel)).to(device)).set_requires_grad(true);
    weights_.push_back(weight);
    at::Tensor bias = start_values({out}, fan_in * static_cast<double>(fixed ? tent_.numel() : 1), rng, device);
    if (tents) {
      // black stays black: features vary only with what there is to see
      const at::NoGradGuard no_grad;
      bias.zero_();
      if (first) weight.abs_();
    }
    biases_.push_back(bias);
    channels = out;
  }
  const int64_t out = static_cast<int64_t>(outputs);
  weights_.push_back(start_values({out, static_cast<int64_t>(features)}, static_cast<double>(features), rng, device));
  biases_.push_back(start_values({out}, static_cast<double>(features), rng, device));
}

at::Tensor TrunkNetwork::kernel(size_t layer) const {
  return layer == 0 && tent_.defined() ? weights_[0] * tent_ : weights_[layer];
}

void TrunkNetwork::set_head(const at::Tensor& weight, const at::Tensor& bias) {
  const at::NoGradGuard no_grad;
  weights_.back().copy_(weight);
  biases_.back().copy_(bias);
}

at::Tensor TrunkNetwork::forward(const at::Tensor& images) const {
  return at::linear(features(images), weights_.back(), biases_.back()).to(at::kFloat);
}

at::Tensor TrunkNetwork::features(const at::Tensor& images) const {
  if (!images.is_cpu()) return features_dense(images);
  // a look at a few images tells whether boxes pay
  const Size size{static_cast<int>(image_[0]), static_cast<int>(image_[1])};
  const at::Tensor pixels = images.contiguous();
  const int64_t n = images.size(0), looks = std::min<int64_t>(n, 16);
  double area = 0;
  for (int64_t i = 0; i < looks; ++i) {
    const uint8_t* image = pixels.const_data_ptr<uint8_t>() + i * n / looks * pixels[0].numel();
    area += content(image, size, static_cast<int>(image_[2])).area();
  }
  const bool black = area < 0.1 * static_cast<double>(looks) * size.height * size.width;
  return black ? features_sparse(pixels) : features_dense(pixels);
}

at::Tensor TrunkNetwork::features_dense(const at::Tensor& images) const {
  at::Tensor x = images.permute({0, 3, 1, 2}).to(at::kFloat).div(255.0).contiguous(at::MemoryFormat::ChannelsLast);
  for (size_t i = 0; i < shape_.size(); ++i) {
    const int64_t stride = static_cast<int64_t>(shape_[i].stride);
    x = at::conv2d(x, kernel(i), biases_[i], {stride, stride}).relu();
  }
  return x.contiguous().flatten(1).to(at::kFloat);
}

at::Tensor TrunkNetwork::features_sparse(const at::Tensor& images) const {
  const int64_t n = images.size(0);
  const int channels = static_cast<int>(image_[2]);
  const at::Tensor bytes = images.contiguous();
  Size size{static_cast<int>(image_[0]), static_cast<int>(image_[1])};
  const size_t row = static_cast<size_t>(size.width) * channels;

  // the box of each image, and where its rows begin in the table of the layer; row 0 is the answer to black
  std::vector<Box> boxes(n);
  std::vector<int32_t> begin(n);
  for (int64_t i = 0; i < n; ++i)
    boxes[i] = content(bytes.const_data_ptr<uint8_t>() + i * size.height * row, size, channels);

  at::Tensor table;
  for (size_t layer = 0; layer < shape_.size(); ++layer) {
    const ConvShape& shape = shape_[layer];
    const int k = static_cast<int>(shape.kernel), s = static_cast<int>(shape.stride);
    const Size out = convolved(size, shape);
    std::vector<Box> next(n);
    std::vector<int32_t> next_begin(n);
    int64_t rows = 1;
    for (int64_t i = 0; i < n; ++i) {
      next[i] = touched(boxes[i], shape, out);
      next_begin[i] = static_cast<int32_t>(rows);
      rows += next[i].area();
    }

    // patches as rows in the order (y, x, channel): of pixels for the first layer, else of rows of the table
    at::Tensor patches;
    if (layer == 0) {
      patches = at::zeros({rows, k * k * channels}, at::kFloat);
      float* to = patches.mutable_data_ptr<float>() + static_cast<ptrdiff_t>(k) * k * channels;
      for (int64_t i = 0; i < n; ++i) {
        const uint8_t* image = bytes.const_data_ptr<uint8_t>() + i * size.height * row;
        for (int y = next[i].y0; y < next[i].y1; ++y)
          for (int x = next[i].x0; x < next[i].x1; ++x)
            for (int dy = 0; dy < k; ++dy, to += k * channels) {
              const uint8_t* from = image + (y * s + dy) * row + static_cast<ptrdiff_t>(x) * s * channels;
              for (int c = 0; c < k * channels; ++c) to[c] = static_cast<float>(from[c]) / 255.0f;
            }
      }
    } else {
      std::vector<int32_t> index(static_cast<size_t>(k) * k, 0);  // black, for row 0
      index.reserve(rows * k * k);
      for (int64_t i = 0; i < n; ++i)
        for (int y = next[i].y0; y < next[i].y1; ++y)
          for (int x = next[i].x0; x < next[i].x1; ++x)
            for (int dy = 0; dy < k; ++dy)
              for (int dx = 0; dx < k; ++dx) {
                const int py = y * s + dy, px = x * s + dx;
                index.push_back(boxes[i].has(py, px) ? begin[i] + boxes[i].at(py, px) : 0);
              }
      patches = Gather::apply(table, index_tensor(index), static_cast<int64_t>(k) * k);
    }
    const at::Tensor weight = kernel(layer).permute({0, 2, 3, 1}).flatten(1);
    table = at::linear(patches, weight, biases_[layer]).relu().to(at::kFloat);  // (rows, channels)
    boxes = std::move(next);
    begin = std::move(next_begin);
    size = out;
  }

  // the whole last map of every image, in the order (channel, y, x)
  std::vector<int32_t> index;
  index.reserve(n * size.height * size.width);
  for (int64_t i = 0; i < n; ++i)
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) index.push_back(boxes[i].has(y, x) ? begin[i] + boxes[i].at(y, x) : 0);
  const int64_t positions = static_cast<int64_t>(size.height) * size.width;
  const at::Tensor maps = Gather::apply(table, index_tensor(index), positions);  // (n, positions * channels)
  return maps.view({n, positions, -1}).transpose(1, 2).flatten(1);
}

std::vector<NamedTensor> TrunkNetwork::parameters(const std::string& prefix) const {
  std::vector<NamedTensor> list;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const std::string name = i + 1 == weights_.size() ? prefix + ".head" : str(prefix, ".", i);
    list.push_back({name + ".weight", weights_[i]});
    list.push_back({name + ".bias", biases_[i]});
  }
  return list;
}

Trunk TrunkNetwork::with_head(Mlp head) const {
  std::vector<Linear> convolutions;
  for (size_t i = 0; i + 1 < weights_.size(); ++i) convolutions.push_back(to_linear(kernel(i), biases_[i]));
  return Trunk(image_, std::move(convolutions), std::move(head), shape_);
}

Trunk TrunkNetwork::to_trunk() const { return with_head(Mlp({to_linear(weights_.back(), biases_.back())})); }

Trunk TrunkNetwork::to_trunk(const Mlp& top) const {
  const at::NoGradGuard no_grad;
  // W (H f + h) + w = (W H) f + (W h + w)
  std::vector<Linear> layers = top.layers();
  const int64_t inputs = static_cast<int64_t>(layers[0].inputs()), outputs = static_cast<int64_t>(layers[0].outputs());
  const at::Tensor weight = to_tensor(layers[0].weight(), {outputs, inputs}, at::kCPU);
  const at::Tensor bias = to_tensor(layers[0].bias(), {outputs}, at::kCPU);
  layers[0] =
      to_linear(at::mm(weight, weights_.back().to(at::kCPU)), bias + at::mv(weight, biases_.back().to(at::kCPU)));
  return with_head(Mlp(std::move(layers), top.norm_gain(), top.norm_bias()));
}

}  // namespace alps

#include "alps/nn/trunk.h"

#include <algorithm>

#include "alps/base/threads.h"

namespace alps {
namespace {

std::vector<float> values(const Array& array) { return {array.as<float>().begin(), array.as<float>().end()}; }

struct Map {
  size_t height, width, channels;
  size_t size() const { return height * width * channels; }
};

Map convolved(Map in, const ConvShape& shape) {
  return {(in.height - shape.kernel) / shape.stride + 1, (in.width - shape.kernel) / shape.stride + 1, shape.channels};
}

// every patch of `in` (height, width, channels) as one row in the order (channel, y, x)
void patches(const float* in, Map map, const ConvShape& shape, std::vector<float>& out) {
  const Map to = convolved(map, shape);
  out.resize(to.height * to.width * map.channels * shape.kernel * shape.kernel);
  float* next = out.data();
  for (size_t y = 0; y < to.height; ++y)
    for (size_t x = 0; x < to.width; ++x)
      for (size_t c = 0; c < map.channels; ++c)
        for (size_t dy = 0; dy < shape.kernel; ++dy) {
          const float* row = in + ((y * shape.stride + dy) * map.width + x * shape.stride) * map.channels + c;
          for (size_t dx = 0; dx < shape.kernel; ++dx) *next++ = row[dx * map.channels];
        }
}

}  // namespace

size_t trunk_features(const Shape& image, std::span<const ConvShape> layers) {
  if (image.size() != 3) throw Error("images must be (height, width, channels), not ", shape_text(image));
  Map map{image[0], image[1], image[2]};
  for (const ConvShape& shape : layers) {
    if (map.height < shape.kernel || map.width < shape.kernel) {
      size_t least = 1;
      for (size_t i = layers.size(); i-- > 0;) least = (least - 1) * layers[i].stride + layers[i].kernel;
      throw Error("images of ", shape_text(image), " are too small for the ", layers.size(), " convolutions (", least,
                  " x ", least, " at least); choose smaller trunk_kernels and trunk_strides");
    }
    map = convolved(map, shape);
  }
  return map.size();
}

Trunk::Trunk(Shape image, std::vector<Linear> convolutions, Mlp head, std::span<const ConvShape> shape)
    : image_(std::move(image)),
      shape_(shape.begin(), shape.end()),
      convolutions_(std::move(convolutions)),
      head_(std::move(head)) {
  ALPS_CHECK(convolutions_.size() == shape_.size());
  ALPS_CHECK(head_.inputs() == trunk_features(image_, shape_));
}

Trunk Trunk::with(Trunk other) const {
  ALPS_CHECK(beside_.empty() && other.beside_.empty() && other.image_ == image_);
  Trunk both = *this;
  both.beside_.push_back(std::move(other));
  return both;
}

Trunk Trunk::alone() const {
  Trunk one = *this;
  one.beside_.clear();
  return one;
}

Trunk Trunk::load(const Tensors& tensors, const std::string& prefix) {
  const Array& size = tensors.at(prefix + ".image", DType::kInt64, {3});
  Shape image;
  for (int64_t n : size.as<int64_t>()) {
    if (n < 1 || n > 4096)
      throw Error(tensors.path.string(), ": tensor '", prefix, ".image' holds no valid image size");
    image.push_back(static_cast<size_t>(n));
  }
  const Array& strides = tensors.at(prefix + ".strides");
  if (strides.dtype() != DType::kInt64 || strides.shape().size() != 1 || strides.size() < 1 || strides.size() > 16)
    throw Error(tensors.path.string(), ": tensor '", prefix,
                ".strides' does not hold the strides of 1 to 16 convolutions");

  std::vector<ConvShape> layers;
  std::vector<Linear> convolutions;
  size_t channels = image[2];
  for (size_t i = 0; i < strides.size(); ++i) {
    const std::string name = str(prefix, ".", i, ".weight");
    const Shape& size = tensors.at(name).shape();
    const int64_t stride = strides.as<int64_t>()[i];
    if (size.size() != 4 || size[0] == 0 || size[2] == 0 || stride < 1 || stride > 4096)
      throw Error(tensors.path.string(), ": tensor '", name, "' of shape ", shape_text(size), " and stride ", stride,
                  " is no convolution");
    layers.push_back({size[0], size[2], static_cast<size_t>(stride)});
    const Array& weight = tensors.at(name, DType::kFloat32, {size[0], channels, size[2], size[2]});
    const Array& bias = tensors.at(str(prefix, ".", i, ".bias"), DType::kFloat32, {size[0]});
    convolutions.emplace_back(weight.row_size(), size[0], values(weight), values(bias));
    channels = size[0];
  }
  const size_t features = trunk_features(image, layers);
  Mlp head = Mlp::load(tensors, prefix + ".head");
  if (head.inputs() != features)
    throw Error(tensors.path.string(), ": tensor '", prefix, ".head.0.weight' takes ", head.inputs(),
                " features, but images of ", shape_text(image), " have ", features);
  Trunk trunk(image, std::move(convolutions), std::move(head), layers);
  const std::string beside = prefix + ".beside";
  if (!tensors.has(beside + ".image")) return trunk;
  Trunk other = load(tensors, beside);
  if (other.image() != image || !other.beside_.empty())
    throw Error(tensors.path.string(), ": tensors '", beside, ".*' are no trunk for images of ", shape_text(image));
  return trunk.with(std::move(other));
}

void Trunk::store(Tensors& tensors, const std::string& prefix) const {
  const std::vector<int64_t> size(image_.begin(), image_.end());
  tensors.arrays[prefix + ".image"] = Array::of<int64_t>({3}, size);
  std::vector<int64_t> strides;
  for (const ConvShape& shape : shape_) strides.push_back(static_cast<int64_t>(shape.stride));
  tensors.arrays[prefix + ".strides"] = Array::of<int64_t>({strides.size()}, strides);
  size_t channels = image_[2];
  for (size_t i = 0; i < convolutions_.size(); ++i) {
    const ConvShape& shape = shape_[i];
    tensors.arrays[str(prefix, ".", i, ".weight")] =
        Array::of<float>({shape.channels, channels, shape.kernel, shape.kernel}, convolutions_[i].weight());
    tensors.arrays[str(prefix, ".", i, ".bias")] = Array::of<float>({shape.channels}, convolutions_[i].bias());
    channels = shape.channels;
  }
  head_.store(tensors, prefix + ".head");
  if (!beside_.empty()) beside_[0].store(tensors, prefix + ".beside");
}

void Trunk::forward(std::span<const uint8_t> images, std::span<float> out, int threads) const {
  const size_t rows = images.size() / pixels();
  ALPS_CHECK(images.size() == rows * pixels() && out.size() == rows * outputs());
  parallel_for(rows, threads, [&](size_t i) { forward_one(images.data() + i * pixels(), out.data() + i * outputs()); });
}

void Trunk::forward_one(const uint8_t* image, float* out) const {
  thread_local std::vector<float> map_values, patch_values;
  Map map{image_[0], image_[1], image_[2]};
  map_values.resize(map.size());
  for (size_t i = 0; i < map.size(); ++i) map_values[i] = static_cast<float>(image[i]) / 255.0f;

  for (size_t i = 0; i < convolutions_.size(); ++i) {
    patches(map_values.data(), map, shape_[i], patch_values);
    map = convolved(map, shape_[i]);
    map_values.resize(map.size());
    convolutions_[i].apply(patch_values.data(), map.height * map.width, map_values.data(), Panels::After::kRelu);
  }

  // PyTorch flattens channel first
  patch_values.resize(map.size());
  for (size_t p = 0; p < map.height * map.width; ++p)
    for (size_t c = 0; c < map.channels; ++c)
      patch_values[c * map.height * map.width + p] = map_values[p * map.channels + c];
  head_.forward(patch_values, {out, head_.outputs()});
  if (!beside_.empty()) beside_[0].forward_one(image, out + head_.outputs());
}

}  // namespace alps

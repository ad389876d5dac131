// Trunks of any size: stored with their shapes, loaded back, refused where the file makes no sense.
#include "alps/nn/trunk.h"

#include <gtest/gtest.h>

#include "../base/temp_folder.h"
#include "alps/base/rng.h"

namespace alps {
namespace {

std::vector<float> random_numbers(size_t n, Rng& rng) {
  std::vector<float> out(n);
  for (float& x : out) x = static_cast<float>(0.1 * rng.normal());
  return out;
}

Trunk random_trunk(const Shape& image, const std::vector<ConvShape>& shape, size_t latent) {
  Rng rng(4);
  std::vector<Linear> convolutions;
  size_t channels = image[2];
  for (const ConvShape& s : shape) {
    const size_t inputs = channels * s.kernel * s.kernel;
    auto weight = random_numbers(inputs * s.channels, rng);
    convolutions.emplace_back(inputs, s.channels, std::move(weight), random_numbers(s.channels, rng));
    channels = s.channels;
  }
  const size_t features = trunk_features(image, shape);
  auto weight = random_numbers(features * latent, rng);
  return Trunk(image, std::move(convolutions),
               Mlp({Linear(features, latent, std::move(weight), random_numbers(latent, rng))}), shape);
}

std::vector<float> latents(const Trunk& trunk, size_t images) {
  Rng rng(6);
  std::vector<uint8_t> pixels(images * trunk.pixels());
  for (uint8_t& p : pixels) p = static_cast<uint8_t>(rng.below(256));
  std::vector<float> out(images * trunk.outputs());
  trunk.forward(pixels, out);
  return out;
}

TEST(Trunk, AnySizeIsStoredAndLoaded) {
  const std::vector<ConvShape> plain(kTrunkShape.begin(), kTrunkShape.end());
  EXPECT_EQ(trunk_features({64, 64, 3}, plain), 128u);
  EXPECT_EQ(trunk_features({100, 100, 1}, plain), 800u);
  const std::vector<std::pair<Shape, std::vector<ConvShape>>> cases = {
      {{64, 64, 3}, plain}, {{100, 100, 1}, plain}, {{20, 30, 4}, {{3, 5, 3}, {7, 2, 1}}}, {{8, 8, 1}, {{2, 8, 1}}}};
  for (const auto& [image, shape] : cases) {
    const Trunk trunk = random_trunk(image, shape, 9);
    Tensors tensors;
    trunk.store(tensors);
    const Trunk loaded = Trunk::load(tensors);
    EXPECT_EQ(loaded.image(), image);
    ASSERT_EQ(loaded.shape().size(), shape.size());
    for (size_t i = 0; i < shape.size(); ++i) {
      EXPECT_EQ(loaded.shape()[i].channels, shape[i].channels);
      EXPECT_EQ(loaded.shape()[i].kernel, shape[i].kernel);
      EXPECT_EQ(loaded.shape()[i].stride, shape[i].stride);
    }
    EXPECT_EQ(latents(loaded, 3), latents(trunk, 3));
  }
}

TEST(Trunk, AnotherOneBesideItGivesTheRestOfTheState) {
  const Trunk first = random_trunk({20, 30, 4}, {{3, 5, 3}, {7, 2, 1}}, 9);
  const Trunk other = random_trunk({20, 30, 4}, {{2, 8, 4}}, 5);
  Tensors tensors;
  first.with(other).store(tensors);
  const Trunk both = Trunk::load(tensors);
  ASSERT_EQ(both.outputs(), 14u);
  const std::vector<float> one = latents(first, 3), two = latents(other, 3), all = latents(both, 3);
  for (size_t i = 0; i < 3; ++i) {
    const auto row = all.begin() + static_cast<ptrdiff_t>(14 * i);
    EXPECT_TRUE(std::equal(row, row + 9, one.begin() + static_cast<ptrdiff_t>(9 * i)));
    EXPECT_TRUE(std::equal(row + 9, row + 14, two.begin() + static_cast<ptrdiff_t>(5 * i)));
  }
  EXPECT_EQ(latents(both.alone(), 3), one);

  // for images of another size it cannot stand there
  random_trunk({20, 31, 4}, {{2, 8, 4}}, 5).store(tensors, "trunk.beside");
  EXPECT_NE(error_of([&] { Trunk::load(tensors); }).find("'trunk.beside.*' are no trunk for images of (20, 30, 4)"),
            std::string::npos);
}

TEST(Trunk, WhatMakesNoSenseIsRefused) {
  Tensors good;
  random_trunk({20, 30, 4}, {{3, 5, 3}, {7, 2, 1}}, 9).store(good);
  const auto error_with = [&](const std::string& name, Array array) {
    Tensors tensors;
    random_trunk({20, 30, 4}, {{3, 5, 3}, {7, 2, 1}}, 9).store(tensors);
    tensors.arrays[name] = std::move(array);
    return error_of([&] { Trunk::load(tensors); });
  };
  EXPECT_NE(error_with("trunk.strides", Array::of<int64_t>({2}, std::vector<int64_t>{3, 0})).find("no convolution"),
            std::string::npos);
  EXPECT_NE(error_with("trunk.strides", Array::of<int64_t>({2}, std::vector<int64_t>{3, 2})), "");  // other features
  EXPECT_NE(error_with("trunk.strides", Array::of<int64_t>({0}, std::vector<int64_t>{})), "");
  EXPECT_NE(error_with("trunk.1.weight", Array::of<float>({7, 3, 2}, std::vector<float>(42))), "");
  EXPECT_NE(error_with("trunk.1.weight", Array::of<float>({7, 3, 2, 1}, std::vector<float>(42))), "");
  EXPECT_NE(error_with("trunk.image", Array::of<int64_t>({3}, std::vector<int64_t>{4, 30, 4})).find("too small"),
            std::string::npos);
  EXPECT_NE(error_of([] { trunk_features({35, 64, 1}); }).find("36 x 36 at least"), std::string::npos);
  EXPECT_EQ(trunk_features({36, 36, 1}), 32u);
}

}  // namespace
}  // namespace alps

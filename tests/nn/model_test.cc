#include "alps/nn/model.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "alps/base/file.h"
#include "alps/base/rng.h"

namespace alps {
namespace {

namespace fs = std::filesystem;

Mlp small(Rng& rng, size_t inputs, size_t outputs, bool norm) {
  auto linear = [&](size_t in, size_t out) {
    std::vector<float> weight(in * out), bias(out);
    for (float& w : weight) w = static_cast<float>(rng.normal());
    for (float& b : bias) b = static_cast<float>(rng.normal());
    return Linear(in, out, weight, bias);
  };
  std::vector<Linear> layers;
  layers.push_back(linear(inputs, 4));
  layers.push_back(linear(4, outputs));
  return norm ? Mlp(std::move(layers), {1, 1, 1, 1}, {0, 0, 0, 0}) : Mlp(std::move(layers));
}

Model example() {
  Rng rng(4);
  Model model;
  model.mean = {1, 2};
  model.deviation = {2, 4};
  model.representation = small(rng, 2, 3, true);
  model.eigenvalues = {0.1f, 0.2f, 0.3f};
  model.eigenvalues_duals = {0.1f, 0.2f, 0.4f};
  model.model = small(rng, 2 + 1, 2, false);
  model.change_mean = {0, 0};
  model.change_deviation = {0.5f, 0.25f};
  model.prior = small(rng, 2 + 6, 1, false);
  model.actions.limit = {2.5f};
  model.prior_spread = 0.25f;
  model.prior_way = 12.5f;
  model.metadata = {{"alps", "test"}};
  return model;
}

class ModelTest : public testing::Test {
 protected:
  ModelTest()
      : folder_(fs::temp_directory_path() / str("alps_model_", getpid())), path_(folder_ / "model.safetensors") {
    save_bundle(path_, example().bundle());
  }
  ~ModelTest() override { fs::remove_all(folder_); }
  std::string message() const {
    try {
      load_model(path_);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  fs::path folder_, path_;
};

TEST_F(ModelTest, RoundTripAndUse) {
  const Model one = example(), two = load_model(folder_);
  EXPECT_EQ(two.action_size(), 1u);
  EXPECT_EQ(two.eigenvectors(), 3u);
  EXPECT_EQ(two.prior_spread, 0.25f);
  EXPECT_EQ(two.prior_way, 12.5f);
  EXPECT_EQ(two.actions.limit, (std::vector<float>{2.5f}));
  EXPECT_EQ(two.bundle().meanings.at("prior"), "state, psi, psi of the goal -> action");
  const std::vector<float> observations = {3, 6, 1, 2};
  std::vector<float> x(4), psi(6), next(4), a(2), b(2);
  two.observe(observations, x);
  EXPECT_EQ(x, (std::vector<float>{1, 1, 0, 0}));
  two.psi(x, psi);
  one.act(x, psi, psi, a);
  two.act(x, psi, psi, b);
  EXPECT_EQ(a, b);
  two.step(x, a, next);
  for (float value : next) EXPECT_TRUE(std::isfinite(value));
  const Array rows = embed(two, Array::of<float>({2, 2}, observations));
  EXPECT_TRUE(std::ranges::equal(rows.as<float>(), psi));
  EXPECT_THROW(embed(two, Array(DType::kFloat32, {2, 3})), Error);
  EXPECT_THROW(embed(two, Array(DType::kUInt8, {2, 2})), Error);
}

TEST_F(ModelTest, RefusesOtherFormatsAndMissingOrOddTensors) {
  Tensors tensors = read_safetensors(path_);
  tensors.metadata["format"] = "1";
  write_safetensors(path_, tensors);
  EXPECT_NE(message().find("older alps (test), whose runs this one does not read; train it anew"), std::string::npos);
  tensors.metadata["format"] = "3";
  write_safetensors(path_, tensors);
  EXPECT_NE(message().find("newer alps"), std::string::npos);
  tensors.metadata["format"] = "x";
  write_safetensors(path_, tensors);
  EXPECT_NE(message(), "");
  tensors.metadata["format"] = "2";
  const Array mean = std::exchange(tensors.arrays["normalizer.mean"], Array(DType::kFloat32, {3}));
  write_safetensors(path_, tensors);
  EXPECT_NE(message(), "");
  tensors.arrays["normalizer.mean"] = Array::of<float>({2}, mean.as<float>());
  tensors.arrays["representation.1.bias"].as<float>()[0] = std::numeric_limits<float>::infinity();
  write_safetensors(path_, tensors);
  EXPECT_NE(message().find("non-finite"), std::string::npos);
  tensors.metadata.erase("alps");
  write_safetensors(path_, tensors);
  EXPECT_NE(message().find("not a model of alps"), std::string::npos);
  fs::remove(path_);
  EXPECT_NE(message().find("no such file"), std::string::npos);
}

TEST_F(ModelTest, ABundleKeepsNetworksOfAnyNameAndForgetsThemWithTheirVectors) {
  Bundle bundle = example().bundle();
  Rng rng(5);
  bundle.leave("actor", small(rng, 4, 1, false), "state, goal -> action");
  bundle.vectors["actor.spread"] = {0.5f};
  bundle.vectors["actors.limit"] = {1};  // of somebody else
  save_bundle(path_, bundle);
  Bundle read = load_bundle(path_);
  EXPECT_EQ(read.network("actor").inputs(), 4u);
  EXPECT_EQ(read.meanings.at("actor"), "state, goal -> action");
  EXPECT_EQ(read.vectors, bundle.vectors);
  read.forget("actor");
  EXPECT_FALSE(read.has("actor"));
  EXPECT_FALSE(read.vectors.contains("actor.spread"));
  EXPECT_TRUE(read.vectors.contains("actors.limit"));
  EXPECT_THROW(read.network("actor"), Error);
}

// shapes and names inside a well-formed file are not trusted either
TEST_F(ModelTest, FuzzWellFormedFiles) {
  Rng rng(8);
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    Tensors tensors = read_safetensors(path_);
    auto item = std::next(tensors.arrays.begin(), static_cast<std::ptrdiff_t>(rng.below(tensors.arrays.size())));
    switch (rng.below(4)) {
      case 0: item = tensors.arrays.erase(item); break;
      case 1: {
        Array odd(DType::kFloat32, {rng.below(5), rng.below(5)});
        std::ranges::fill(odd.as<float>(), 1.0f);
        item->second = std::move(odd);
        break;
      }
      case 2:
        item->second = Array::of<int64_t>({3}, std::vector<int64_t>{100, 100, static_cast<int64_t>(rng.next())});
        break;
      default: {
        Array moved = std::move(item->second);
        tensors.arrays.erase(item);
        tensors.arrays[rng.below(2) ? "trunk.image" : "prior.2.weight"] = std::move(moved);
      }
    }
    const fs::path path = folder_ / "odd.safetensors";
    write_safetensors(path, tensors);
    try {
      const Model model = load_model(path);
      if (!model.representation.empty()) embed(model, Array::of<float>({1, 2}, std::vector<float>{1, 2}));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 250);
}

}  // namespace
}  // namespace alps

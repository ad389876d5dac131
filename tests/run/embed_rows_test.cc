// psi of rows is the same whether observations are in memory, held once each, or on disk, and however many threads.
#include "alps/run/embed_rows.h"

#include <gtest/gtest.h>

#include <numeric>

#include "../base/temp_folder.h"
#include "alps/base/rng.h"
#include "alps/run/regions.h"
#include "place_model.h"

namespace alps {
namespace {

constexpr size_t kRows = 700;

// numbers that nobody chose, for a trunk of one convolution
std::vector<float> random_numbers(size_t n, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> out(n);
  for (float& x : out) x = static_cast<float>(rng.normal());
  return out;
}

Model image_model() {
  const std::vector<ConvShape> shape = {{5, 3, 2}};
  const Shape image = {9, 7, 2};
  const size_t features = trunk_features(image, shape);
  Model model;
  model.trunk = Trunk(image, {Linear(18, 5, random_numbers(90, 1), random_numbers(5, 2))},
                      Mlp({Linear(features, 4, random_numbers(features * 4, 3), random_numbers(4, 4))}), shape);
  model.mean = {0, 1, 2, 3};
  model.deviation = {1, 2, 3, 4};
  model.representation = Mlp({Linear(4, 6, random_numbers(24, 5), random_numbers(6, 6))});
  model.eigenvalues.assign(6, 1.0f);
  return model;
}

Array images(size_t kinds) {
  Array array(DType::kUInt8, {kRows, 9, 7, 2});
  for (size_t row = 0; row < kRows; ++row) {
    Rng rng = Rng(7).fork(row * 31 % kinds);
    for (size_t i = 0; i < array.row_size(); ++i)
      array.as<uint8_t>()[row * array.row_size() + i] = static_cast<uint8_t>(rng.below(256));
  }
  return array;
}

std::filesystem::path write(const TempFolder& folder, const Array& array) {
  NpzWriter file(folder / "set.npz");
  file.add("observations", array);
  file.finish();
  return folder / "set.npz";
}

TEST(EmbedRows, ImagesGiveTheSamePsiWhereverTheyAreKept) {
  const TempFolder folder;
  const Model model = image_model();
  for (const size_t kinds : {size_t{40}, kRows}) {
    const Array all = images(kinds);
    const auto path = write(folder, all);
    const Array expected = embed(model, all);
    std::vector<size_t> rows(kRows);
    std::iota(rows.begin(), rows.end(), 0);
    std::ranges::reverse(rows);
    const ObservationRows memory = ObservationRows::open(path), disk = ObservationRows::open(path, {.memory = 1});
    EXPECT_EQ(memory.distinct(), kinds);
    EXPECT_EQ(disk.kept(), ObservationRows::Kept::kDisk);
    for (const ObservationRows& kept : {memory, disk})
      for (const int threads : {1, 3}) {
        const Array psi = embed_rows(model, kept, rows, threads);
        for (size_t i = 0; i < kRows; ++i)
          ASSERT_TRUE(std::ranges::equal(psi.row<float>(i), expected.row<float>(rows[i]))) << i;
      }
    std::filesystem::remove(unpacked_path(path));
  }
}

TEST(EmbedRows, ObservationsOfAnotherKindAreRefused) {
  const std::vector<size_t> rows = {0};
  EXPECT_THROW(embed_rows(image_model(), Array::of<float>({1, 4}, std::vector<float>(4)), rows), Error);
  EXPECT_THROW(embed_rows(place_model({1, 0, 0, 1}), images(3), rows), Error);
  EXPECT_THROW(embed_rows(place_model({1, 0, 0, 1}), Array::of<float>({1, 3}, std::vector<float>(3)), rows), Error);
}

// walks to and fro over a line, on which regions are intervals
Dataset walks() {
  Dataset data;
  data.path = "mine.npz";
  data.observation_shape = {2};
  std::vector<float> states;
  Rng rng(1);
  for (size_t e = 0; e < 100; ++e) {
    double x = rng.uniform(0, 50);
    for (size_t t = 0; t < 100; ++t) {
      x = std::clamp(x + rng.uniform(-3, 3), 0.0, 50.0);
      states.insert(states.end(), {static_cast<float>(x), 0.0f});
    }
    data.episodes.push_back({e * 100, e * 100 + 99});
  }
  data.observations = Array::of<float>({10'000, 2}, states);
  data.actions = Array::of<float>({10'000, 1}, std::vector<float>(10'000));
  return data;
}

TEST(Regions, OfTooManyStatesAreFoundOnASampleAndCoverAll) {
  const Model model = place_model({1, 0, 0, 1});
  const Dataset data = walks();
  std::vector<std::string> said;
  RegionParams params{.settings = {.clusters = 10, .region_sizes = "plain"},
                      .threads = 1,
                      .say = [&](const std::string& text) { said.push_back(text); }};
  const ClusterGraph whole = make_regions(model, data, params);
  EXPECT_TRUE(said.empty());
  params.memory = 1000 * 2 * sizeof(float);
  const ClusterGraph sampled = make_regions(model, data, params);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("10,000 states"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("every 10th"), std::string::npos) << said[0];
  // every state has its region, and every step counts
  const auto total = [](const std::vector<int64_t>& counts) { return std::reduce(counts.begin(), counts.end()); };
  EXPECT_EQ(total(sampled.sizes), 10'000);
  EXPECT_EQ(total(sampled.sizes), total(whole.sizes));
  EXPECT_NE(sampled.centers, whole.centers);
  EXPECT_GT(total(sampled.passages), total(whole.passages) * 8 / 10);
  params.threads = 3;
  EXPECT_EQ(make_regions(model, data, params).centers, sampled.centers);
}

}  // namespace
}  // namespace alps

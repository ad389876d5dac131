// Every check of a data set has its own message, naming file, key and row.
#include "alps/data/dataset.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "alps/base/npz.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

class DatasetTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / str("alps-dataset-", getpid());
    fs::create_directories(folder_);
    // two episodes of 4 and 6 rows
    observations_.resize(30);
    for (size_t i = 0; i < 30; ++i) observations_[i] = 0.1f * i;
    actions_.assign(20, 0.5f);
    terminals_.assign(10, 0);
    terminals_[3] = terminals_[9] = 1;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path path() const { return folder_ / "test.npz"; }
  Array observations() const { return Array::of<float>({10, 3}, observations_); }
  Array actions() const { return Array::of<float>({10, 2}, actions_); }
  Array terminals() const { return Array::of<uint8_t>({10}, terminals_); }

  void save(const std::vector<std::pair<std::string, const Array*>>& members) const {
    NpzWriter out(path());
    for (const auto& [key, array] : members) out.add(key, *array);
    out.finish();
  }
  void save() const {
    const Array o = observations(), a = actions(), t = terminals();
    save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  }

  // the words of the error that loading gives, with the observations in memory, on disk, and unopened
  void expect_error(const std::vector<std::string>& words) const {
    for (const DatasetOptions& options :
         {DatasetOptions{}, DatasetOptions{.memory = 1}, DatasetOptions{.observations = false}}) {
      try {
        load_dataset(path(), options);
        FAIL() << "no error";
      } catch (const Error& e) {
        for (const std::string& word : words)
          EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "'" << word << "' is not in: " << e.what();
      }
    }
  }

  fs::path folder_;
  std::vector<float> observations_, actions_;
  std::vector<uint8_t> terminals_;
};

TEST_F(DatasetTest, LoadsEpisodes) {
  save();
  const Dataset data = load_dataset(path());
  EXPECT_EQ(data.rows(), 10u);
  EXPECT_EQ(data.transitions(), 8u);
  EXPECT_EQ(data.observation_size(), 3u);
  EXPECT_EQ(data.action_size(), 2u);
  ASSERT_EQ(data.episodes.size(), 2u);
  EXPECT_EQ(data.episodes[1].first, 4u);
  EXPECT_EQ(data.episodes[1].last, 9u);
  EXPECT_TRUE(data.warnings.empty());
  EXPECT_EQ(data.qpos.size(), 0u);
  EXPECT_FLOAT_EQ(data.observations.row<float>(9)[2], 2.9f);
  EXPECT_TRUE(load_dataset(path(), {.observations = false}).observations.empty());
}

TEST_F(DatasetTest, ShapesOfActionsAndTerminals) {
  const Array o = observations(), a = actions(), t = terminals(), cube = Array::of<float>({10, 2, 1}, actions_),
              line = Array::of<float>({20}, actions_), column = Array::of<uint8_t>({10, 1}, terminals_);
  save({{"observations", &o}, {"actions", &cube}, {"terminals", &t}});
  expect_error({"actions", "(10, 2, 1)", "expected (rows, size)"});
  save({{"observations", &o}, {"actions", &line}, {"terminals", &t}});
  expect_error({"actions", "expected (rows, size)"});
  save({{"observations", &o}, {"actions", &a}, {"terminals", &column}});
  expect_error({"terminals", "(10, 1)", "expected (rows,)"});
}

TEST_F(DatasetTest, TakesDoublesAndOddTerminals) {
  std::vector<double> wide(observations_.begin(), observations_.end());
  std::vector<float> ends(terminals_.begin(), terminals_.end());
  const Array o = Array::of<double>({10, 3}, wide), a = actions(), t = Array::of<float>({10}, ends);
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  const Dataset data = load_dataset(path());
  EXPECT_FALSE(data.image());
  EXPECT_FLOAT_EQ(data.observations.row<float>(9)[2], 2.9f);
  EXPECT_EQ(data.episodes.size(), 2u);
}

// the CRC says whether two files hold the same data, not whether they have the same bytes
TEST_F(DatasetTest, TheCrcIsThatOfTheArrays) {
  const Array o = observations(), a = actions(), t = terminals();
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  const std::string first = load_dataset(path()).crc32;
  EXPECT_EQ(first.size(), 8u);
  save({{"terminals", &t}, {"actions", &a}, {"observations", &o}});
  EXPECT_EQ(load_dataset(path(), {.observations = false}).crc32, first);
  NpzWriter stored(path(), {.level = 0});
  for (const auto& [key, array] : {std::pair{"observations", &o}, {"actions", &a}, {"terminals", &t}})
    stored.add(key, *array);
  stored.finish();
  EXPECT_EQ(load_dataset(path()).crc32, first);
  EXPECT_EQ(load_dataset(path()).bytes, fs::file_size(path()));
  observations_[11] += 0.001f;
  save();
  EXPECT_NE(load_dataset(path()).crc32, first);
}

TEST_F(DatasetTest, OnDiskTheSameDataGiveTheSameEpisodes) {
  // a walk that leaps and rests: what is cut does not depend on where the observations are
  constexpr size_t kRows = 4000;
  std::vector<float> walk;
  for (size_t row = 0; row < kRows; ++row) {
    const float still = static_cast<float>(row < 3300 ? row : std::max<size_t>(row - 400, 3300));
    walk.insert(walk.end(), {0.1f * still + (row > 1500 ? 500.0f : 0.0f), std::sin(0.1f * still)});
  }
  std::vector<uint8_t> ends(kRows, 0);
  for (size_t row = 999; row < kRows; row += 1000) ends[row] = 1;
  const Array o = Array::of<float>({kRows, 2}, walk), a = Array::of<float>({kRows, 1}, std::vector<float>(kRows));
  const Array t = Array::of<uint8_t>({kRows}, ends);
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  const Cuts cuts{.jump_factor = 10, .still_share = 0.5};
  const Dataset memory = load_dataset(path(), {.cuts = cuts}), disk = load_dataset(path(), {.cuts = cuts, .memory = 1});
  EXPECT_EQ(disk.observations.kept(), ObservationRows::Kept::kDisk);
  EXPECT_EQ(memory.leaps, std::vector<size_t>{1500});
  EXPECT_EQ(disk.leaps, memory.leaps);
  EXPECT_EQ(memory.warnings.size(), 2u);
  ASSERT_GE(memory.episodes.size(), 6u);
  ASSERT_EQ(disk.episodes.size(), memory.episodes.size());
  for (size_t i = 0; i < disk.episodes.size(); ++i) {
    EXPECT_EQ(disk.episodes[i].first, memory.episodes[i].first);
    EXPECT_EQ(disk.episodes[i].last, memory.episodes[i].last);
  }
}

TEST_F(DatasetTest, ImagesStayBytes) {
  const Array o = Array::of<uint8_t>({10, 2, 2, 1}, std::vector<uint8_t>(40, 7)), a = actions(), t = terminals();
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  const Dataset data = load_dataset(path());
  EXPECT_TRUE(data.image());
  EXPECT_EQ(data.observation_shape, (Shape{2, 2, 1}));
}

TEST_F(DatasetTest, ImagesWithChannelsFirst) {
  const Array o = Array::of<uint8_t>({10, 3, 8, 8}, std::vector<uint8_t>(1920)), a = actions(), t = terminals();
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  expect_error({"test.npz", "(10, 3, 8, 8)", "channels before height", "moveaxis"});
}

TEST_F(DatasetTest, TimeoutsEndEpisodesToo) {
  const Array o = observations(), a = actions(), t = terminals(),
              none = Array::of<uint8_t>({10}, std::vector<uint8_t>(10));
  save({{"observations", &o}, {"actions", &a}, {"timeouts", &t}});
  const Dataset alone = load_dataset(path());
  EXPECT_EQ(alone.episodes.size(), 2u);
  ASSERT_EQ(alone.warnings.size(), 1u);
  EXPECT_NE(alone.warnings[0].find("has 'timeouts' and no 'terminals'"), std::string::npos);

  // D4RL's way: ends are in one or the other
  save({{"observations", &o}, {"actions", &a}, {"terminals", &none}, {"timeouts", &t}});
  const Dataset both = load_dataset(path());
  EXPECT_EQ(both.episodes.size(), 2u);
  ASSERT_EQ(both.warnings.size(), 1u);
  EXPECT_NE(both.warnings[0].find("where either is set"), std::string::npos);

  const Array few = Array::of<uint8_t>({9}, std::vector<uint8_t>(9));
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}, {"timeouts", &few}});
  expect_error({"'timeouts' has 9 rows"});
}

TEST_F(DatasetTest, TerminalsThatAreNeitherZeroNorOne) {
  std::vector<float> ends(10, 0.0f);
  ends[3] = 0.5f;
  ends[9] = 1;
  const Array o = observations(), a = actions(), t = Array::of<float>({10}, ends);
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  const Dataset data = load_dataset(path());
  EXPECT_EQ(data.episodes.size(), 2u);
  ASSERT_EQ(data.warnings.size(), 1u);
  EXPECT_NE(data.warnings[0].find("neither 0 nor 1 in 1 rows, first 0.5 in row 3"), std::string::npos)
      << data.warnings[0];
  ends[5] = NAN;
  const Array bad = Array::of<float>({10}, ends);
  save({{"observations", &o}, {"actions", &a}, {"terminals", &bad}});
  expect_error({"'terminals' is NaN or Inf in row 5"});
}

TEST_F(DatasetTest, MissingFile) { expect_error({"test.npz", "alps data make test", "alps data get test"}); }

TEST_F(DatasetTest, MissingKey) {
  const Array o = observations(), t = terminals();
  save({{"observations", &o}, {"terminals", &t}});
  expect_error({"test.npz", "'actions' is missing", "observations, terminals"});
}

TEST_F(DatasetTest, WrongRank) {
  const Array o = Array::of<float>({30}, observations_), a = actions(), t = terminals();
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  expect_error({"test.npz", "'observations' has shape (30,)", "expected"});
}

TEST_F(DatasetTest, NumbersOfActions) {
  const Array o = observations(), a = Array::of<int64_t>({10}, std::vector<int64_t>(10)), t = terminals();
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  expect_error({"test.npz", "'actions' has shape (10,)", "numpy.eye"});
}

TEST_F(DatasetTest, WrongType) {
  const Array o = observations(), a = Array::of<int64_t>({10, 2}, std::vector<int64_t>(20)), t = terminals();
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  expect_error({"test.npz", "'actions' is int64", "expected float32"});
}

TEST_F(DatasetTest, LengthsDiffer) {
  const Array o = observations(), a = actions(), t = Array::of<uint8_t>({9}, std::vector<uint8_t>(9));
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  expect_error({"test.npz", "'terminals' has 9 rows", "10"});
}

TEST_F(DatasetTest, NotFinite) {
  observations_[17] = NAN;
  observations_[25] = INFINITY;
  save();
  expect_error({"test.npz", "'observations' is NaN or Inf in row 5, column 2"});
  observations_[17] = observations_[25] = 0;
  actions_[3] = -INFINITY;
  save();
  expect_error({"'actions' is NaN or Inf in row 1, column 1"});
}

TEST_F(DatasetTest, EpisodeOfLengthOne) {
  terminals_[4] = 1;
  save();
  expect_error({"test.npz", "'terminals' makes row 4 an episode of length 1"});
}

TEST_F(DatasetTest, NoRows) {
  const Array o(DType::kFloat32, {0, 3}), a(DType::kFloat32, {0, 2}), t(DType::kBool, {0});
  save({{"observations", &o}, {"actions", &a}, {"terminals", &t}});
  expect_error({"test.npz", "'observations' has no rows"});
}

TEST_F(DatasetTest, WarnsOfLargeActionsAndOpenEnd) {
  actions_[7] = 1.5f;
  actions_[9] = -2.0f;
  terminals_[9] = 0;
  save();
  const Dataset data = load_dataset(path());
  ASSERT_EQ(data.warnings.size(), 2u);
  EXPECT_NE(data.warnings[0].find("'terminals' is 0 in the last row 9"), std::string::npos) << data.warnings[0];
  EXPECT_NE(data.warnings[1].find("2 values, first 1.5 in row 3, column 1"), std::string::npos) << data.warnings[1];
  EXPECT_EQ(data.episodes.size(), 2u);
}

TEST(DatasetPath, FollowsOgbench) {
  EXPECT_EQ(dataset_path("antmaze-large-stitch-v0", "/d"), "/d/antmaze-large-stitch-v0.npz");
  EXPECT_EQ(dataset_path("x/y.npz"), "x/y.npz");
  EXPECT_EQ(validation_path("x/y.npz"), "x/y-val.npz");
  EXPECT_TRUE(dataset_path("a-v0").string().ends_with("/.ogbench/data/a-v0.npz"));
}

TEST(CutEpisodes, SaysHowManyRowsAreLeftOut) {
  Dataset data;
  data.observation_shape = {1};
  std::vector<float> x(1000);
  for (size_t row = 1; row < 1000; ++row) x[row] = x[row - 1] + (row > 400 && row <= 500 ? 0 : 1);
  data.observations = Array::of<float>({1000, 1}, x);
  data.actions = Array::of<float>({1000, 1}, std::vector<float>(1000));
  data.episodes = {{0, 999}};
  cut_episodes(data, {.jump_factor = 0, .still_share = 0.01});
  ASSERT_EQ(data.warnings.size(), 1u);
  EXPECT_TRUE(data.warnings[0].starts_with("in 101 of 1,000 rows")) << data.warnings[0];
  EXPECT_EQ(data.episodes.size(), 2u);
  // nothing is left to leave out, and nothing is said
  data.warnings.clear();
  cut_episodes(data, {.jump_factor = 10, .still_share = 0});
  EXPECT_TRUE(data.warnings.empty());
}

}  // namespace
}  // namespace alps

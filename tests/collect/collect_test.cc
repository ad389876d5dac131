// Data makers: the table of data sets, episodes as the recipes say, and the same bytes whatever the number of threads.
#include "alps/collect/collect.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "alps/base/file.h"
#include "alps/base/npz.h"
#include "alps/collect/expert.h"
#include "alps/data/dataset.h"
#include "alps/world/catalog.h"
#include "alps/world/image_view.h"
#include "alps/world/maze.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

class CollectTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ = fs::temp_directory_path() / str("alps-collect-", getpid());
};

TEST(Recipes, AreThoseOfThePaper) {
  // tab:datasets: 8 + 11 + 6 + 11 + 3; OGBench's other four arms, and Maze2D with and without images
  EXPECT_EQ(recipes().size(), 8u + 11 + 6 + 11 + 3 + 4 + 6);
  EXPECT_EQ(recipe("pointmaze-giant-navigate-v0").rows(), 500u * 2001);
  EXPECT_EQ(recipe("antmaze-large-explore-v0").rows(), 10000u * 501);
  EXPECT_EQ(recipe("humanoidmaze-giant-stitch-v0").rows(), 10000u * 401);
  EXPECT_THROW(recipe("pointmaze-huge-navigate-v0"), UsageError);
  for (const Recipe& r : recipes()) {
    const auto& catalog = env_catalog();
    EXPECT_TRUE(std::any_of(catalog.begin(), catalog.end(), [&](const auto& e) { return e.name == r.env; })) << r.env;
  }
}

TEST_F(CollectTest, SameSeedSameFileWhateverTheThreads) {
  for (const char* name : {"pointmaze-teleport-navigate-v0", "antmaze-large-stitch-v0", "maze2d-spiral-random-v0",
                           "visual-maze2d-rooms-random-v0", "visual-antmaze-teleport-stitch-v0"}) {
    std::vector<std::string> bytes;
    for (const auto& [seed, threads] : {std::pair{4, 1}, {4, 3}, {5, 1}}) {
      const fs::path path = folder_ / "data.npz";
      make_dataset(recipe(name), path, {.episodes = 3, .seed = static_cast<uint64_t>(seed), .threads = threads});
      bytes.push_back(read_text(path) + read_text(validation_path(path)));
    }
    EXPECT_TRUE(bytes[0] == bytes[1]) << name;
    EXPECT_FALSE(bytes[0] == bytes[2]) << name;
  }
}

TEST_F(CollectTest, ImagesAreThoseOfTheSameWalkInNumbers) {
  const fs::path numbers = folder_ / "numbers.npz", images = folder_ / "images.npz";
  const CollectOptions options = {.episodes = 1, .seed = 3, .threads = 2};
  make_dataset(recipe("antmaze-teleport-explore-v0"), numbers, options);
  size_t told = 0, last = 0;
  make_dataset(recipe("visual-antmaze-teleport-explore-v0"), images, options, [&](size_t done, size_t total) {
    last = done;
    told = total;
  });
  EXPECT_EQ(told, 2u * 2 * 501);  // steps and images, of training and validation
  EXPECT_EQ(last, told);
  const NpzReader a(numbers), b(images);
  EXPECT_EQ(b.info("observations").shape, (Shape{501, 64, 64, 3}));
  for (const char* key : {"actions", "terminals", "qpos", "qvel"})
    EXPECT_TRUE(std::ranges::equal(a.read(key).bytes(), b.read(key).bytes())) << key;
  const auto env = make_env("visual-antmaze-teleport-v0");
  const Array states = a.read("observations"), frames = b.read("observations");
  std::vector<uint8_t> pixels(env->spec().observation_size());
  for (size_t i = 0; i < states.rows(); i += 50) {
    env->images()->render(states.row<float>(i), pixels);
    EXPECT_TRUE(std::ranges::equal(frames.row<uint8_t>(i), pixels)) << i;
  }
}

TEST_F(CollectTest, SaysWhatItNeedsAndRefusesAFullDisk) {
  const Recipe& what = recipe("visual-antmaze-medium-navigate-v0");
  const fs::path path = folder_ / "data.npz";
  CollectOptions options = {.episodes = 1, .threads = 1};
  std::optional<Needs> needs;
  options.needs = [&](const Needs& n) { needs = n; };
  make_dataset(what, path, options);
  ASSERT_TRUE(needs);
  // what was foretold holds the files, and is not far off
  const uintmax_t bytes = fs::file_size(path) + fs::file_size(validation_path(path));
  EXPECT_GT(needs->disk, bytes);
  EXPECT_LT(needs->disk, 3 * bytes);
  EXPECT_GT(needs->seconds, 0);

  fs::remove(path);
  fs::remove(validation_path(path));
  options.disk = needs->disk / 2;
  try {
    make_dataset(what, path, options);
    FAIL() << "made on a disk that is too small";
  } catch (const Error& e) {
    const std::string text = e.what();
    for (const char* word : {"visual-antmaze-medium-navigate-v0", "free", "--episodes", "data.npz"})
      EXPECT_NE(text.find(word), std::string::npos) << text;
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(CollectTest, StitchEpisodesEndFourCellsAway) {
  const fs::path path = folder_ / "data.npz";
  const CollectStats stats = make_dataset(recipe("pointmaze-large-stitch-v0"), path, {.episodes = 60});
  const Dataset data = load_dataset(path);
  const Maze& maze = Maze::named("large");
  int arrived = 0;
  for (const Episode& e : data.episodes) {
    const auto a = data.observations.row<float>(e.first), b = data.observations.row<float>(e.last);
    const Cell start = maze.cell({a[0], a[1]}), end = maze.cell({b[0], b[1]});
    arrived += maze.distances(end)[start.i * maze.width() + start.j] == 4;
  }
  EXPECT_EQ(data.episodes.size(), 60u);
  EXPECT_LE(stats.goals_reached, stats.episodes);  // a goal counts once
  EXPECT_GE(arrived, 57);                          // the ball may stand just over the edge of its goal's cell
}

TEST_F(CollectTest, NavigateReachesManyGoals) {
  const CollectStats stats =
      make_dataset(recipe("pointmaze-medium-navigate-v0"), folder_ / "data.npz", {.episodes = 10});
  EXPECT_EQ(stats.train_rows, 10010u);
  EXPECT_EQ(stats.val_rows, 1001u);
  EXPECT_GT(stats.goals_reached, 60u);
}

TEST_F(CollectTest, ImagesShowTheWalk) {
  make_dataset(recipe("maze2d-rooms-random-v0"), folder_ / "plain.npz", {.episodes = 5});
  make_dataset(recipe("visual-maze2d-rooms-random-v0"), folder_ / "images.npz", {.episodes = 5});
  const Dataset plain = load_dataset(folder_ / "plain.npz"), images = load_dataset(folder_ / "images.npz");
  EXPECT_EQ(images.observation_shape, (Shape{100, 100, 1}));
  ASSERT_EQ(plain.rows(), 5001u);
  ASSERT_EQ(images.rows(), 5001u);
  for (size_t row = 0; row < plain.rows(); row += 97) {
    // the brightest pixel is the position
    const auto image = images.observations.row<uint8_t>(row);
    const size_t brightest = std::max_element(image.begin(), image.end()) - image.begin();
    const auto at = plain.observations.row<float>(row);
    EXPECT_EQ(brightest / 100, std::lround(100 * at[0]));
    EXPECT_EQ(brightest % 100, std::lround(100 * at[1]));
    EXPECT_EQ(image[brightest], 255);
  }
}

TEST_F(CollectTest, WithoutExpertNothingIsWritten) {
  Recipe other = recipe("humanoidmaze-large-navigate-v0");
  EXPECT_EQ(missing_for(other), "");
  other.expert = "nobody";
  EXPECT_EQ(missing_for(other), "the nobody expert's weights");
  EXPECT_THROW(make_dataset(other, folder_ / "data.npz", {}), Error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

// an expert follows the cells of a maze; a world without them is refused before anything is written
TEST_F(CollectTest, AWorldWithoutCellsIsRefused) {
  Recipe other = recipe("pointmaze-medium-navigate-v0");
  other.env = "maze2d-rooms-v0";
  try {
    make_dataset(other, folder_ / "data.npz", {.episodes = 1});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("need a maze of cells, and maze2d-rooms-v0 has none"), std::string::npos)
        << e.what();
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(CollectTest, WorkStoppedAtOnceLeavesNothing) {
  EXPECT_THROW(make_dataset(recipe("pointmaze-medium-navigate-v0"), folder_ / "data.npz", {.episodes = 5},
                            [](size_t, size_t) { throw Error("stop"); }),
               Error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(CollectTest, PartsJoinToTheSameFiles) {
  const Recipe& what = recipe("pointmaze-medium-navigate-v0");  // 9 episodes a piece
  const fs::path whole = folder_ / "whole.npz", path = folder_ / "data.npz", making = folder_ / "data.npz.making";
  const CollectOptions options = {.episodes = 50, .seed = 3, .threads = 1};
  make_dataset(what, whole, options);

  // six pieces of training and one of validation: 3, 2 and 2
  EXPECT_EQ(make_dataset_part(what, path, options, {3, 3}).pieces, 2u);
  const PartStats first = make_dataset_part(what, path, options, {1, 3});
  EXPECT_EQ(first.pieces, 3u);
  EXPECT_EQ(first.rows, (9u + 9 + 5) * 1001);
  EXPECT_FALSE(first.joined);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(std::distance(fs::directory_iterator(making), {}), 5);

  // a part that is there is not made again
  make_dataset_part(what, path, options, {1, 3}, [](size_t, size_t) { FAIL(); });

  // a part of other work neither uses nor harms these pieces
  make_dataset_part(what, path, {.episodes = 50, .seed = 4, .threads = 1}, {7, 7});
  EXPECT_EQ(std::distance(fs::directory_iterator(making), {}), 6);

  // whoever joins makes the part that is missing
  int made = 0;
  make_dataset(what, path, options, [&](size_t, size_t) { ++made; });
  EXPECT_EQ(made, 9 + 9);
  EXPECT_TRUE(read_text(path) == read_text(whole));
  EXPECT_TRUE(read_text(validation_path(path)) == read_text(validation_path(whole)));
  EXPECT_FALSE(fs::exists(making));
}

// the whole was made by another process while a part was at work: the part ends well and leaves nothing
TEST_F(CollectTest, APartThatIsOvertakenEnds) {
  const Recipe& what = recipe("pointmaze-medium-navigate-v0");
  const fs::path path = folder_ / "data.npz";
  const CollectOptions options = {.episodes = 50, .threads = 1};
  int made = 0;
  const PartStats stats = make_dataset_part(what, path, options, {1, 1}, [&](size_t, size_t) {
    if (++made == 12) make_dataset(what, path, options);
  });
  EXPECT_TRUE(stats.joined);
  EXPECT_EQ(made, 18);  // to the end of the piece
  EXPECT_FALSE(fs::exists(folder_ / "data.npz.making"));
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(CollectTest, AWalkHasNoParts) {
  EXPECT_EQ(make_dataset_part(recipe("maze2d-rooms-random-v0"), folder_ / "data.npz", {}, {1, 2}).pieces, 0u);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST(Parts, AreWrittenAsIOfN) {
  const Part part = parse_part("2/8");
  EXPECT_EQ(part.index, 2);
  EXPECT_EQ(part.count, 8);
  for (const char* bad : {"", "2", "0/3", "4/3", "-1/3", "1/0", "1/3x", "a/b", "1 of 3", "1/3/4"})
    EXPECT_THROW(parse_part(bad), UsageError) << bad;
}

TEST_F(CollectTest, StoppedWorkGoesOnToTheSameFiles) {
  const Recipe& what = recipe("pointmaze-medium-navigate-v0");  // 9 episodes a piece
  const auto bytes = [](const fs::path& path) { return read_text(path) + read_text(validation_path(path)); };
  const fs::path whole = folder_ / "whole.npz", path = folder_ / "data.npz";
  const CollectStats uninterrupted = make_dataset(what, whole, {.episodes = 50, .seed = 3});

  // makes up to `stop` episodes; returns how many were made
  const auto make = [&](uint64_t seed, int stop) {
    int made = 0;
    const auto count = [&](size_t, size_t) {
      if (++made == stop) throw Error("stop");
    };
    EXPECT_THROW(make_dataset(what, path, {.episodes = 50, .seed = seed, .threads = 1}, count), Error);
    return made;
  };
  make(3, 20);
  EXPECT_TRUE(fs::exists(folder_ / "data.npz.making"));
  EXPECT_FALSE(fs::exists(path));
  make(3, 20);  // 18 of them are there: 36 now

  int made = 0;
  const CollectStats stats = make_dataset(what, path, {.episodes = 50, .seed = 3, .threads = 1},
                                          [&](size_t, size_t total) { made += total > 0; });
  EXPECT_EQ(made, 55 - 36);
  EXPECT_EQ(stats.goals_reached, uninterrupted.goals_reached);
  EXPECT_TRUE(bytes(path) == bytes(whole));
  EXPECT_FALSE(fs::exists(folder_ / "data.npz.making"));

  // episodes of another seed are of no use
  fs::remove(path);
  make(4, 20);
  make_dataset(what, path, {.episodes = 50, .seed = 3});
  EXPECT_TRUE(bytes(path) == bytes(whole));
}

}  // namespace
}  // namespace alps

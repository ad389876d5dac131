// A folder of files is the same data set as one file with all rows, however much of it fits into memory.
#include "alps/data/many_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../base/temp_folder.h"
#include "alps/base/npz.h"
#include "alps/base/rng.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kPieces = 4, kRows = 60, kLength = 12;  // rows of a file, of an episode

// rows first .. first + n of one long data set
void write(const fs::path& path, size_t first, size_t n, bool image, int level, size_t action_size = 2) {
  Array seen(image ? DType::kUInt8 : DType::kFloat32, image ? Shape{n, 3, 4, 3} : Shape{n, 5});
  Array actions(DType::kFloat32, {n, action_size}), qpos(DType::kFloat32, {n, 2}), terminals(DType::kBool, {n});
  for (size_t i = 0; i < n; ++i) {
    Rng rng = Rng(1).fork(first + i);
    Rng pixels = Rng(2).fork(rng.below(50));  // images come again, in other files too
    for (size_t k = 0; k < seen.row_size(); ++k) {
      if (image)
        seen.as<uint8_t>()[i * seen.row_size() + k] = static_cast<uint8_t>(pixels.below(256));
      else
        seen.as<float>()[i * seen.row_size() + k] = static_cast<float>(rng.normal());
    }
    for (size_t k = 0; k < action_size; ++k)
      actions.as<float>()[i * action_size + k] = static_cast<float>(rng.uniform());
    for (size_t k = 0; k < 2; ++k) qpos.as<float>()[i * 2 + k] = static_cast<float>(first + i);
    terminals.as<bool>()[i] = (first + i) % kLength == kLength - 1;
  }
  NpzWriter out(path, {.level = level});
  out.add("observations", seen);
  out.add("actions", actions);
  out.add("qpos", qpos);
  out.add("terminals", terminals);
  out.finish();
}

fs::path write_folder(const TempFolder& folder, bool image, int level) {
  const fs::path to = folder / str("set", image, level);
  fs::create_directories(to);
  for (size_t i = 0; i < kPieces; ++i) {
    write(to / str("walk-00", i, ".npz"), i * kRows, kRows, image, level);
    write(to / str("walk-00", i, "-val.npz"), 7 * kLength, kLength, image, level);
  }
  return to;
}

template <class T>
void expect_same(const ObservationRows& many, const ObservationRows& one) {
  ASSERT_EQ(many.rows(), one.rows());
  EXPECT_EQ(many.shape(), one.shape());
  const size_t size = one.row_size();
  std::vector<T> expected(one.rows() * size), got(expected.size());
  one.read(0, std::span<T>(expected));
  many.read(0, std::span<T>(got));
  EXPECT_EQ(got, expected);
  for (size_t first = 0; first < one.rows(); first += 7) {
    const size_t n = std::min<size_t>(2 * kRows + 3, one.rows() - first);  // over two borders of files
    got.assign(n * size, T{});
    many.read(first, std::span<T>(got));
    EXPECT_TRUE(std::ranges::equal(got, std::span(expected).subspan(first * size, n * size)));
    EXPECT_EQ(many.copy(first).view(), one.copy(first).view());
  }
}

TEST(ManyFiles, AreOneDataSet) {
  const TempFolder folder;
  for (const bool image : {false, true})
    for (const int level : {0, 6}) {
      const fs::path many = write_folder(folder, image, level), one = folder / "one.npz";
      write(one, 0, kPieces * kRows, image, level);
      const Dataset whole = load_dataset(one);
      const size_t piece = kRows * whole.observation_size() * (image ? 1 : 4);
      // all in memory, two files of four, and (almost) nothing
      for (const size_t memory : {4 * piece, 2 * piece + piece / 2, size_t{1}}) {
        const Dataset data = load_dataset(many, {.memory = memory});
        EXPECT_EQ(data.path, many);
        EXPECT_EQ(data.observation_shape, whole.observation_shape);
        EXPECT_EQ(data.image(), image);
        EXPECT_TRUE(std::ranges::equal(data.actions.as<float>(), whole.actions.as<float>()));
        ASSERT_EQ(data.episodes.size(), whole.episodes.size());
        for (size_t e = 0; e < data.episodes.size(); ++e) {
          EXPECT_EQ(data.episodes[e].first, whole.episodes[e].first);
          EXPECT_EQ(data.episodes[e].last, whole.episodes[e].last);
        }
        EXPECT_LE(data.observations.memory(), memory);
        EXPECT_EQ(data.observations.kept() == ObservationRows::Kept::kDisk, image ? memory == 1 : memory < 4 * piece);
        if (image)
          expect_same<uint8_t>(data.observations, whole.observations);
        else
          expect_same<float>(data.observations, whole.observations);
      }
    }
}

TEST(ManyFiles, DistinctImagesAreFound) {
  const TempFolder folder;
  const Dataset data = load_dataset(write_folder(folder, true, 6));
  EXPECT_LE(data.observations.distinct(), 50 * kPieces);
  std::vector<uint8_t> one, other;
  for (size_t row = 0; row < data.rows(); ++row) {
    const size_t i = data.observations.distinct_of(row);
    ASSERT_LT(i, data.observations.distinct());
    EXPECT_TRUE(std::ranges::equal(data.observations.distinct_bytes(i, one), data.observations.bytes(row, other)));
  }
}

TEST(ManyFiles, ChosenRowsAlone) {
  const TempFolder folder;
  const fs::path many = write_folder(folder, false, 6);
  const ObservationRows all = ObservationRows::open(many);
  const std::vector<size_t> only = {3, kRows - 1, 3 * kRows, 3 * kRows + 5};  // none of files 1 and 2
  const ObservationRows some = ObservationRows::open(many, {.only = only});
  EXPECT_EQ(some.rows(), all.rows());
  EXPECT_EQ(some.memory(), only.size() * all.row_size() * sizeof(float));
  EXPECT_TRUE(std::ranges::equal(some.chosen(only).as<float>(), all.chosen(only).as<float>()));
}

TEST(ManyFiles, StateThatDoesNotFitIsLeftOut) {
  const TempFolder folder;
  const fs::path many = write_folder(folder, false, 6);
  const size_t bytes = kPieces * kRows * 2 * sizeof(float);
  EXPECT_EQ(load_dataset(many, {.memory = bytes}).qpos.as<float>().back(), static_cast<float>(kPieces * kRows - 1));
  const Dataset data = load_dataset(many, {.memory = bytes - 1});
  EXPECT_EQ(data.qpos.size(), 0u);
  ASSERT_EQ(data.warnings.size(), 1u);
  EXPECT_NE(data.warnings[0].find("qpos and qvel take"), std::string::npos);
}

TEST(ManyFiles, OtherFilesChangeTheChecksum) {
  const TempFolder folder;
  const fs::path many = write_folder(folder, false, 6);
  const std::string before = load_dataset(many).crc32;
  EXPECT_EQ(before.size(), 8u);
  write(many / "walk-004.npz", kPieces * kRows, kRows, false, 6);
  EXPECT_NE(load_dataset(many).crc32, before);
}

TEST(ManyFiles, Errors) {
  const TempFolder folder;
  const fs::path many = write_folder(folder, false, 6);
  write(many / "walk-009.npz", 0, kRows, false, 6, 3);
  try {
    load_dataset(many);
    FAIL() << "no error";
  } catch (const Error& e) {
    for (const char* word : {"walk-009.npz", "3 columns of actions", "pieces of one data set"})
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
  }
  fs::create_directories(folder / "empty");
  EXPECT_FALSE(is_many_files(folder / "empty"));
  EXPECT_THROW(load_dataset(folder / "empty"), Error);
}

TEST(ManyFiles, Paths) {
  const TempFolder folder;
  const fs::path many = write_folder(folder, false, 6);
  EXPECT_EQ(dataset_path(many.string()), many);
  EXPECT_EQ(dataset_path(many.string() + "/"), many);
  EXPECT_EQ(dataset_path(many.filename().string(), many.parent_path()), many);
  EXPECT_EQ(validation_path(many), many / "walk-000-val.npz");
  // a file of that name comes first, and the folder of a run is no data set
  write(folder / (many.filename().string() + ".npz"), 0, kRows, false, 6);
  EXPECT_EQ(dataset_path(many.filename().string(), many.parent_path()).extension(), ".npz");
  folder.write(many.filename().string() + "/config.json", "{}");
  EXPECT_FALSE(is_many_files(many));
  // single tasks share their data
  EXPECT_EQ(dataset_path("walk-large-singletask-task2-v0", "/d"), "/d/walk-large-v0.npz");
  EXPECT_EQ(dataset_path("walk-large-singletask-v0", "/d"), "/d/walk-large-v0.npz");
  // other layouts are imported first
  EXPECT_THROW(dataset_path(folder.write("walk.hdf5", "x").string()), UsageError);
}

}  // namespace
}  // namespace alps

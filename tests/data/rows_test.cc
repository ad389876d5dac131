// Observations are the same to the last bit wherever they are kept: in memory, as distinct images, or on disk.
#include "alps/data/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../base/temp_folder.h"
#include "alps/base/rng.h"
#include "alps/base/threads.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

using Kept = ObservationRows::Kept;

constexpr size_t kRows = 500;
const Shape kImage = {kRows, 4, 5, 3};

// of `kinds` different images
Array images(size_t kinds) {
  Array array(DType::kUInt8, kImage);
  Rng rng(1);
  for (size_t row = 0; row < kRows; ++row) {
    Rng pixels = Rng(2).fork(rng.below(kinds));
    for (size_t i = 0; i < array.row_size(); ++i)
      array.as<uint8_t>()[row * array.row_size() + i] = static_cast<uint8_t>(pixels.below(256));
  }
  return array;
}

fs::path write(const TempFolder& folder, const Array& array, int level, const char* name = "set.npz") {
  NpzWriter file(folder / name, {.level = level});
  file.add("observations", array);
  file.finish();
  return folder / name;
}

// every way of reading, from several threads
template <class T>
void expect_same(const ObservationRows& rows, const Array& array) {
  ASSERT_EQ(rows.rows(), array.rows());
  ASSERT_EQ(rows.row_size(), array.row_size());
  EXPECT_EQ(rows.shape(), Shape(array.shape().begin() + 1, array.shape().end()));
  const size_t size = rows.row_size();
  parallel_for(40, 4, [&](size_t i) {
    Rng rng = Rng(3).fork(i);
    const size_t first = rng.below(rows.rows()), n = 1 + rng.below(rows.rows() - first);
    std::vector<T> out(n * size);
    rows.read(first, std::span<T>(out));
    EXPECT_TRUE(std::ranges::equal(out, array.as<T>().subspan(first * size, n * size)));
    std::vector<size_t> some(7);
    for (size_t& row : some) row = rng.below(rows.rows());
    const Array chosen = rows.chosen(some);
    for (size_t k = 0; k < some.size(); ++k) EXPECT_TRUE(std::ranges::equal(chosen.row<T>(k), array.row<T>(some[k])));
    std::vector<T> buffer;
    if constexpr (std::is_same_v<T, uint8_t>) {
      EXPECT_TRUE(std::ranges::equal(rows.bytes(first, buffer), array.row<T>(first)));
      std::vector<T> other;
      EXPECT_TRUE(std::ranges::equal(rows.distinct_bytes(rows.distinct_of(first), other), array.row<T>(first)));
      EXPECT_EQ(rows.copy(first).view(), Observation(array.row<T>(first)));
    } else {
      EXPECT_TRUE(std::ranges::equal(rows.floats(first, buffer), array.row<T>(first)));
      EXPECT_EQ(rows.copy(first).view(), Observation(array.row<T>(first)));
    }
  });
}

TEST(Rows, ImagesOnDiskAreThoseInMemory) {
  const TempFolder folder;
  const Array all = images(kRows);
  const size_t distinct = ObservationRows(Array::of<uint8_t>(kImage, all.as<uint8_t>())).distinct();
  for (const int level : {0, 6}) {
    const fs::path path = write(folder, all, level);
    const ObservationRows memory = ObservationRows::open(path, {.memory = all.byte_size()});
    EXPECT_EQ(memory.kept(), Kept::kDistinctImages);
    EXPECT_EQ(memory.distinct(), distinct);
    EXPECT_EQ(memory.memory(), distinct * all.row_size());
    expect_same<uint8_t>(memory, all);
    EXPECT_FALSE(fs::exists(unpacked_path(path)));

    // one byte too few: on disk, and nothing of it in memory
    const ObservationRows disk = ObservationRows::open(path, {.memory = memory.memory() - 1});
    EXPECT_EQ(disk.kept(), Kept::kDisk);
    EXPECT_EQ(disk.memory(), 0u);
    EXPECT_EQ(disk.distinct(), kRows);
    expect_same<uint8_t>(disk, all);
    EXPECT_EQ(fs::exists(unpacked_path(path)), level > 0);  // what is stored is read in place
    EXPECT_NE(disk.about().find("on disk"), std::string::npos);
    fs::remove(unpacked_path(path));
  }
}

TEST(Rows, FewDistinctImagesFitWhereAllWouldNot) {
  const TempFolder folder;
  const Array all = images(10);
  const ObservationRows rows = ObservationRows::open(write(folder, all, 6), {.memory = 10 * all.row_size()});
  EXPECT_EQ(rows.kept(), Kept::kDistinctImages);
  EXPECT_EQ(rows.distinct(), 10u);
  expect_same<uint8_t>(rows, all);
  for (size_t row = 0; row < kRows; ++row)
    for (const size_t other : {size_t{0}, size_t{77}, kRows - 1})
      EXPECT_EQ(rows.distinct_of(row) == rows.distinct_of(other),
                std::ranges::equal(all.row<uint8_t>(row), all.row<uint8_t>(other)));
  // images given as an array are held once too
  EXPECT_EQ(ObservationRows(images(10)).distinct(), 10u);
}

TEST(Rows, NumbersOnDiskAreThoseInMemory) {
  const TempFolder folder;
  Array narrow(DType::kFloat32, {kRows, 7}), wide(DType::kFloat64, {kRows, 7});
  Rng rng(5);
  for (size_t i = 0; i < narrow.size(); ++i) {
    wide.as<double>()[i] = rng.normal();
    narrow.as<float>()[i] = static_cast<float>(wide.as<double>()[i]);
  }
  for (const int level : {0, 6})
    for (const Array* array : std::initializer_list<const Array*>{&narrow, &wide}) {
      const fs::path path = write(folder, *array, level);
      const ObservationRows memory = ObservationRows::open(path, {.memory = array->byte_size()});
      EXPECT_EQ(memory.kept(), Kept::kFloats);
      expect_same<float>(memory, narrow);
      const ObservationRows disk = ObservationRows::open(path, {.memory = array->byte_size() - 1});
      EXPECT_EQ(disk.kept(), Kept::kDisk);
      EXPECT_EQ(disk.memory(), 0u);
      expect_same<float>(disk, narrow);
      fs::remove(unpacked_path(path));
    }
}

TEST(Rows, WhatWasUnpackedServesAgainWhileItIsNewer) {
  const TempFolder folder;
  const fs::path path = write(folder, images(kRows), 6);
  ObservationRows::open(path, {.memory = 1000});
  const auto unpacked = unpacked_path(path);
  fs::last_write_time(unpacked, fs::last_write_time(path) + std::chrono::hours(1));
  const auto time = fs::last_write_time(unpacked);
  // no room is needed for it, and it is not written again
  expect_same<uint8_t>(ObservationRows::open(path, {.memory = 1000, .disk = 0}), images(kRows));
  EXPECT_EQ(fs::last_write_time(unpacked), time);
  // the data set is written anew
  const Array other = images(kRows - 1);
  write(folder, other, 6);
  fs::last_write_time(unpacked, fs::last_write_time(path) - std::chrono::hours(1));
  expect_same<uint8_t>(ObservationRows::open(path, {.memory = 1000}), other);
}

TEST(Rows, AFullDiskIsSaidBeforeAnythingIsWritten) {
  const TempFolder folder;
  const Array all = images(kRows);
  Array numbers(DType::kFloat32, {kRows, 7});
  std::ranges::fill(numbers.as<float>(), 1.0f);
  for (const Array* array : std::initializer_list<const Array*>{&all, &numbers}) {
    const fs::path path = write(folder, *array, 6);
    try {
      ObservationRows::open(path, {.memory = 1000, .disk = array->byte_size() - 1});
      FAIL() << "there was no room";
    } catch (const Error& e) {
      const std::string text = e.what();
      for (const char* word : {"set.npz", array == &all ? "takes 30 kB" : "takes 14 kB",
                               array == &all ? "30 kB are free" : "14 kB are free", "numpy.savez", "make room"})
        EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
    }
    EXPECT_EQ(folder.entries(), 1u);  // the set alone
    EXPECT_EQ(ObservationRows::open(path, {.memory = 1000, .disk = array->byte_size()}).kept(), Kept::kDisk);
    fs::remove(unpacked_path(path));
  }
}

TEST(Rows, ADamagedFileLeavesNothingBehind) {
  const TempFolder folder;
  const fs::path path = write(folder, images(kRows), 6);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(20'000);
  file.write("damage", 6);
  file.close();
  for (const size_t memory : {size_t{1000}, size_t{1} << 30})
    EXPECT_THROW(ObservationRows::open(path, {.memory = memory}), Error) << memory;
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Rows, AFewRowsAreReadWithoutTheOthers) {
  const TempFolder folder;
  const std::vector<size_t> only = {0, 3, 4, 250, kRows - 1};
  const Array all = images(kRows);
  const ObservationRows rows = ObservationRows::open(write(folder, all, 6), {.memory = 1, .only = only});
  EXPECT_EQ(rows.rows(), kRows);
  EXPECT_LE(rows.memory(), only.size() * all.row_size());
  for (const size_t row : only)
    EXPECT_TRUE(std::ranges::equal(rows.chosen(std::vector{row}).as<uint8_t>(), all.row<uint8_t>(row))) << row;
  EXPECT_THROW(rows.copy(5), std::logic_error);
  EXPECT_FALSE(fs::exists(unpacked_path(folder / "set.npz")));

  Array numbers(DType::kFloat64, {kRows, 2});
  std::iota(numbers.as<double>().begin(), numbers.as<double>().end(), 0.5);
  const ObservationRows few = ObservationRows::open(write(folder, numbers, 6), {.memory = 1, .only = only});
  std::vector<float> buffer;
  for (const size_t row : only) EXPECT_EQ(few.floats(row, buffer)[1], 2 * row + 1.5f);
  EXPECT_THROW(few.floats(5, buffer), std::logic_error);
}

TEST(Rows, AllOfThemAsOneArray) {
  Array numbers(DType::kFloat32, {3, 2});
  std::iota(numbers.as<float>().begin(), numbers.as<float>().end(), 0.0f);
  const float* where = numbers.as<float>().data();
  ObservationRows rows(std::move(numbers)), shared = rows;
  const Array copied = std::move(shared).all();
  EXPECT_EQ(copied.as<float>()[5], 5.0f);
  EXPECT_NE(copied.as<float>().data(), where);
  shared = {};
  const Array moved = std::move(rows).all();  // the last owner: not copied
  EXPECT_EQ(moved.as<float>().data(), where);
  EXPECT_EQ(moved.shape(), Shape({3, 2}));
  const Array pictures = ObservationRows(images(3)).all();
  EXPECT_TRUE(std::ranges::equal(pictures.bytes(), images(3).bytes()));
}

}  // namespace
}  // namespace alps

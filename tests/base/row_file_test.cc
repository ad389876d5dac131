#include <gtest/gtest.h>

#include "alps/base/file.h"
#include "alps/base/npz.h"
#include "alps/base/rng.h"
#include "alps/base/threads.h"
#include "temp_folder.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

Array make_rows(size_t rows, uint64_t seed) {
  Array array(DType::kFloat32, {rows, 3, 2});
  Rng rng(seed);
  for (float& x : array.as<float>()) x = static_cast<float>(rng.below(50));
  return array;
}

void write_npz(const fs::path& path, const Array& array, int level) {
  NpzWriter writer(path, {.level = level});
  writer.add("other", make_rows(5, 9));
  writer.add("x", array);
  writer.finish();
}

// rows at random places, from several threads
void expect_rows(const RowFile& file, const Array& array) {
  EXPECT_EQ(file.info().shape, array.shape());
  const size_t row_bytes = array.row_size() * 4;
  parallel_for(50, 4, [&](size_t i) {
    Rng rng = Rng(1).fork(i);
    const size_t first = rng.below(array.rows()), count = rng.below(array.rows() - first + 1);
    std::vector<std::byte> out(count * row_bytes);
    file.read_rows(first, count, out);
    EXPECT_TRUE(std::ranges::equal(out, array.bytes().subspan(first * row_bytes, count * row_bytes)));
  });
}

TEST(RowFile, ReadsNpyInPlace) {
  const TempFolder folder;
  const Array array = make_rows(1000, 0);
  write_npy(folder / "x.npy", array);
  const RowFile file = RowFile::open_npy(folder / "x.npy");
  expect_rows(file, array);
  std::vector<std::byte> out(24);
  EXPECT_THROW(file.read_rows(1000, 1, out), std::logic_error);
  EXPECT_THROW(file.read_rows(~size_t{0}, 1, out), std::logic_error);
  EXPECT_THROW(file.read_rows(0, 2, out), std::logic_error);
}

TEST(RowFile, ReadsStoredMembersInPlace) {
  const TempFolder folder;
  const Array array = make_rows(1000, 0);
  write_npz(folder / "x.npz", array, 0);
  expect_rows(RowFile::open_npz(folder / "x.npz", "x", folder / "unpacked.npy"), array);
  EXPECT_FALSE(fs::exists(folder / "unpacked.npy"));
}

TEST(RowFile, UnpacksDeflatedMembersOnce) {
  const TempFolder folder;
  const fs::path source = folder / "x.npz", unpacked = folder / "unpacked.npy";
  const Array first = make_rows(1000, 0), second = make_rows(1000, 1);
  write_npz(source, first, 6);
  const auto hour = std::chrono::hours(1);
  fs::last_write_time(source, fs::file_time_type::clock::now() - hour);
  expect_rows(RowFile::open_npz(source, "x", unpacked), first);

  // the unpacked file is used as it is: a mark left in it is still there
  write_npy(unpacked, second);
  expect_rows(RowFile::open_npz(source, "x", unpacked), second);
  // a newer source, another shape and a damaged file each make it unpack again
  fs::last_write_time(unpacked, fs::last_write_time(source) - hour);
  expect_rows(RowFile::open_npz(source, "x", unpacked), first);
  write_npy(unpacked, make_rows(999, 0));
  expect_rows(RowFile::open_npz(source, "x", unpacked), first);
  write_text(unpacked, "half a file");
  expect_rows(RowFile::open_npz(source, "x", unpacked), first);
}

TEST(RowFile, DamagedMembersAreNotUnpacked) {
  const TempFolder folder;
  write_npz(folder / "x.npz", make_rows(1000, 0), 6);
  std::string bytes = read_text(folder / "x.npz");
  bytes[bytes.find("x.npy") + 200] ^= 4;
  folder.write("x.npz", bytes);
  EXPECT_NE(error_of([&] { RowFile::open_npz(folder / "x.npz", "x", folder / "unpacked.npy"); }), "");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(RowFile, EmptyArraysAndScalars) {
  const TempFolder folder;
  write_npy(folder / "empty.npy", Array(DType::kInt32, {0, 4}));
  RowFile::open_npy(folder / "empty.npy").read_rows(0, 0, {});
  const float value[] = {2.5f};
  write_npy(folder / "scalar.npy", Array::of<float>({}, value));
  float out = 0;
  RowFile::open_npy(folder / "scalar.npy").read_rows(0, 1, std::as_writable_bytes(std::span(&out, 1)));
  EXPECT_EQ(out, 2.5f);
}

}  // namespace
}  // namespace alps

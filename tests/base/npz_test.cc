#include "alps/base/npz.h"

#include <gtest/gtest.h>

#include <cstring>

#include "alps/base/file.h"
#include "alps/base/npy.h"
#include "alps/base/rng.h"
#include "temp_folder.h"
#include "zip_builder.h"

namespace alps {
namespace {

constexpr DType kTypes[] = {DType::kBool,  DType::kUInt8,   DType::kInt32,
                            DType::kInt64, DType::kFloat32, DType::kFloat64};

// bytes that deflate partly, as trajectories do
Array make_array(DType dtype, Shape shape, uint64_t seed) {
  Array array(dtype, std::move(shape));
  Rng rng(seed);
  for (auto& b : array.bytes()) b = static_cast<std::byte>(rng.below(dtype == DType::kBool ? 2 : 20));
  return array;
}

bool same(const Array& a, const Array& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::ranges::equal(a.bytes(), b.bytes());
}

std::string npy_bytes(const Array& array) {
  return npy_header(array.dtype(), array.shape()) +
         std::string(reinterpret_cast<const char*>(array.bytes().data()), array.byte_size());
}

void write_npz(const std::filesystem::path& path, const Array& array, NpzOptions options = {}) {
  NpzWriter writer(path, options);
  writer.add("x", array);
  writer.finish();
}

TEST(Npz, ThereAndBack) {
  const TempFolder folder;
  for (const int level : {0, 1, 6, 9}) {
    std::vector<std::string> keys;
    std::vector<Array> arrays;
    for (const DType dtype : kTypes)
      for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{100, 7}, Shape{3, 4, 5, 6}, Shape{2, 0, 3}}) {
        keys.push_back(str(dtype_name(dtype), shape_text(shape)));
        arrays.push_back(make_array(dtype, shape, keys.size()));
      }
    NpzWriter writer(folder / "x.npz", {.level = level});
    for (size_t i = 0; i < keys.size(); ++i) writer.add(keys[i], arrays[i]);
    writer.finish();

    const NpzReader reader(folder / "x.npz");
    EXPECT_EQ(reader.keys(), keys);
    const auto all = reader.read(keys, 3);
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_TRUE(same(reader.read(keys[i]), arrays[i])) << keys[i];
      EXPECT_TRUE(same(all[i], arrays[i])) << keys[i];
      EXPECT_EQ(reader.info(keys[i]).shape, arrays[i].shape());
      EXPECT_EQ(reader.info(keys[i]).compressed, level > 0);
    }
  }
}

TEST(Npz, AnArchiveWithoutMembers) {
  const TempFolder folder;
  NpzWriter(folder / "x.npz").finish();
  EXPECT_TRUE(NpzReader(folder / "x.npz").keys().empty());
}

TEST(Npz, TheFileDependsOnTheArraysOnly) {
  const TempFolder folder;
  // several blocks of 1 MiB; the second array ends with its last block exactly, header included
  const Array large = make_array(DType::kFloat32, {1'000'003}, 1);
  const Array exact = make_array(DType::kUInt8, {(2u << 20) - 128}, 2);
  ASSERT_EQ(npy_header(exact.dtype(), exact.shape()).size(), 128u);
  std::string first;
  for (const int threads : {1, 2, 5}) {
    NpzWriter writer(folder / "x.npz", {.threads = threads});
    writer.add("large", large);
    writer.add("exact", exact);
    writer.finish();
    const std::string bytes = read_text(folder / "x.npz");
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first) << threads;
  }

  // nor on the pieces
  NpzWriter writer(folder / "x.npz");
  Rng rng(3);
  for (const auto& [key, array] : {std::pair<std::string, const Array*>{"large", &large}, {"exact", &exact}}) {
    writer.begin(key, array->dtype(), array->shape());
    for (auto rest = array->bytes(); !rest.empty();) {
      const size_t size = std::min<size_t>(rest.size(), rng.below(700'000));
      writer.append(rest.first(size));
      rest = rest.subspan(size);
    }
  }
  writer.finish();
  EXPECT_EQ(read_text(folder / "x.npz"), first);

  const NpzReader reader(folder / "x.npz");
  EXPECT_TRUE(same(reader.read("large"), large));
  EXPECT_TRUE(same(reader.read("exact"), exact));
}

TEST(NpzWriter, LeavesNothingBehindWithoutFinish) {
  const TempFolder folder;
  {
    NpzWriter writer(folder / "x.npz");
    writer.add("x", make_array(DType::kInt32, {1000}, 0));
    EXPECT_EQ(folder.entries(), 1u);
    EXPECT_FALSE(std::filesystem::exists(folder / "x.npz"));
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(NpzWriter, RefusesWhatDoesNotFit) {
  const TempFolder folder;
  const Array array = make_array(DType::kInt32, {10}, 0);
  const auto written = [&](const auto& work) {
    return error_of([&] {
      NpzWriter writer(folder / "x.npz");
      work(writer);
      writer.finish();
    });
  };
  EXPECT_NE(written([&](NpzWriter& w) { w.add("a", array), w.add("a", array); }).find("'a' is written twice"),
            std::string::npos);
  EXPECT_NE(written([&](NpzWriter& w) {
              w.begin("a", DType::kInt32, {11});
              w.append(array.bytes());
            }).find("lacks 4 of the bytes"),
            std::string::npos);
  EXPECT_NE(written([&](NpzWriter& w) {
              w.begin("a", DType::kInt32, {9});
              w.append(array.bytes());
            }).find("more bytes than its shape"),
            std::string::npos);
  EXPECT_NE(written([&](NpzWriter& w) { w.begin("a", DType::kInt32, {9}), w.add("b", array); }), "");
  EXPECT_NE(written([&](NpzWriter& w) { w.add(std::string(70'000, 'k'), array); }), "");
  EXPECT_NE(error_of([&] { NpzWriter(folder / "x.npz", {.level = 10}); }), "");
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(NpzReader, SaysWhatThereIs) {
  const TempFolder folder;
  write_npz(folder / "x.npz", make_array(DType::kFloat32, {5, 2}, 0));
  NpzReader first(folder / "x.npz");
  const NpzReader reader = std::move(first);
  EXPECT_TRUE(reader.has("x"));
  EXPECT_FALSE(reader.has("x.npy"));
  EXPECT_EQ(reader.path(), folder / "x.npz");
  EXPECT_NE(error_of([&] { reader.read("y"); }).find("has no key 'y'; it has 'x'"), std::string::npos);
  const std::string keys[] = {"x", "y"};
  EXPECT_NE(error_of([&] { reader.read(keys, 2); }), "");
}

// a flipped bit is found, or was none of the data (deflate fills up its last byte)
TEST(NpzReader, FindsEveryFlippedBitOfTheData) {
  const TempFolder folder;
  const Array array = make_array(DType::kUInt8, {40}, 0);
  for (const int level : {0, 6}) {
    write_npz(folder / "x.npz", array, {.level = level});
    const std::string good = read_text(folder / "x.npz");
    const size_t data = good.find("x.npy") + 5 + 20, end = good.find("PK\x01\x02");
    size_t found = 0;
    for (size_t bit = 8 * data; bit < 8 * end; ++bit) {
      std::string bad = good;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
      folder.write("bad.npz", bad);
      found += error_of([&] { EXPECT_TRUE(same(NpzReader(folder / "bad.npz").read("x"), array)) << bit; }) != "";
    }
    EXPECT_GT(found + 8, 8 * (end - data));
  }
}

TEST(NpzReader, BoolsAreZeroOrOne) {
  const TempFolder folder;
  const std::string content = npy_header(DType::kBool, {4}) + std::string({0, 1, 2, '\xff'});
  folder.write("x.npz", build_zip({make_part("x.npy", content)}));
  const NpzReader reader(folder / "x.npz");
  std::vector<std::byte> streamed(4);
  reader.stream("x")->read(streamed);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(reader.read("x").bytes()[i], static_cast<std::byte>(i > 0));
    EXPECT_EQ(streamed[i], static_cast<std::byte>(i > 0));
  }
}

TEST(ArrayStream, ReadsInPieces) {
  const TempFolder folder;
  const Array array = make_array(DType::kFloat64, {100'000}, 0);
  for (const int level : {0, 6}) {
    write_npz(folder / "x.npz", array, {.level = level});
    // the reader may go before its stream
    const auto stream = NpzReader(folder / "x.npz").stream("x");
    EXPECT_EQ(stream->info().byte_size(), array.byte_size());
    std::vector<std::byte> all, piece(12'345);
    for (size_t got = piece.size(); got == piece.size();) {
      got = stream->read(piece);
      all.insert(all.end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(got));
    }
    EXPECT_TRUE(std::ranges::equal(all, array.bytes()));
    EXPECT_EQ(stream->read(piece), 0u);
  }
}

TEST(ArrayStream, VerifiesTheChecksumWithTheLastByte) {
  const TempFolder folder;
  const Array array = make_array(DType::kUInt8, {1000}, 0);
  for (const bool deflated : {false, true}) {
    Part part = make_part("x.npy", npy_bytes(array), deflated);
    part.member.crc ^= 1;
    folder.write("x.npz", build_zip({part}));
    const auto stream = NpzReader(folder / "x.npz").stream("x");
    std::vector<std::byte> out(999);
    EXPECT_EQ(stream->read(out), 999u);
    EXPECT_NE(error_of([&] { stream->read(std::span(out).first(1)); }).find("checksum"), std::string::npos);
  }
}

TEST(ArrayStream, RefusesFortranOrder) {
  const TempFolder folder;
  std::string content = npy_header(DType::kUInt8, {2, 3});
  content.replace(content.find("False"), 5, "True ");
  folder.write("x.npz", build_zip({make_part("x.npy", content + "abcdef")}));
  const NpzReader reader(folder / "x.npz");
  EXPECT_TRUE(reader.info("x").fortran_order);
  EXPECT_NE(error_of([&] { reader.stream("x"); }).find("Fortran"), std::string::npos);
  EXPECT_EQ(std::memcmp(reader.read("x").bytes().data(), "acebdf", 6), 0);
}

}  // namespace
}  // namespace alps

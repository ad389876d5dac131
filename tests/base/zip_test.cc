// Archives that lie. Whatever a field claims must be found out before memory is spent on it.
#include "alps/base/zip.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "alps/base/npy.h"
#include "temp_folder.h"
#include "zip_builder.h"

namespace alps {
namespace {

std::string npy(const Shape& shape, const std::string& data) { return npy_header(DType::kUInt8, shape) + data; }

// opens the archive and reads every array
std::string npz_error(const std::string& bytes) {
  const TempFolder folder;
  const auto path = folder.write("x.npz", bytes);
  return error_of([&] {
    const NpzReader reader(path);
    for (const auto& key : reader.keys()) reader.read(key);
  });
}

void expect_refused(const std::string& bytes, const std::string& message) {
  const std::string error = npz_error(bytes);
  EXPECT_NE(error.find(message), std::string::npos) << "wanted: " << message << "\ngot: " << error;
}

TEST(Zip, ReadsWhatTheBuilderBuilds) {
  const std::vector<Part> parts = {make_part("a.npy", npy({3}, "abc")), make_part("b.npy", npy({3}, "def"), false)};
  EXPECT_EQ(npz_error(build_zip(parts)), "");
  EXPECT_EQ(npz_error(build_zip64(parts)), "");
  // members may come in any order, with gaps between them and with junk in front
  EXPECT_EQ(npz_error(build_zip64({parts[1], parts[0]})), "");
}

TEST(Zip, SizesThatDeflateCannotReach) {
  Part part = make_part("x.npy", npy({10'000'000}, std::string(10'000'000, '\0')));
  EXPECT_EQ(npz_error(build_zip({part})), "");  // about 1000 : 1, and true
  // a header for 10^15 bytes in front of the same data, the directory in agreement
  const std::string header = npy({1'000'000'000'000'000}, "");
  part = make_part("x.npy", header + std::string(1'000'000, '\0'));
  part.member.size = header.size() + 1'000'000'000'000'000;
  expect_refused(build_zip({part}), "claims more bytes than its data can hold");
  expect_refused(build_zip64({part}), "claims more bytes than its data can hold");
  part.member.size = ~uint64_t{0};
  expect_refused(build_zip64({part}), "claims more bytes than its data can hold");
  part = make_part("x.npy", npy({3}, "abc"), false);
  part.member.size += 1;
  expect_refused(build_zip({part}), "claims more bytes than its data can hold");
}

TEST(Zip, SizesThatAreNotTrue) {
  const std::string content = npy({1000}, std::string(1000, '\1'));
  Part part = make_part("x.npy", content);
  part.member.size = content.size() + 1;
  expect_refused(build_zip({part}), "claims the shape (1000,)");
  part.member.size = content.size() - 1;
  expect_refused(build_zip({part}), "claims the shape (1000,)");
  // header and directory agree, the data does not: too short, too long, cut, followed by more
  part = make_part("x.npy", npy({1000}, std::string(999, '\1')));
  part.member.size += 1;
  expect_refused(build_zip({part}), "holds fewer bytes");
  part = make_part("x.npy", npy({1000}, std::string(1001, '\1')));
  part.member.size -= 1;
  expect_refused(build_zip({part}), "holds more bytes");
  part = make_part("x.npy", content);
  part.data.pop_back();
  part.member.compressed_size -= 1;
  expect_refused(build_zip({part}), "compressed data is broken");
  part = make_part("x.npy", content);
  part.data += "more";
  part.member.compressed_size += 4;
  expect_refused(build_zip({part}), "data behind its end");
}

TEST(Zip, MembersOverlapOrLieOutside) {
  const Part part = make_part("a.npy", npy({3}, "abc"), false);
  // two entries for the same bytes: the trick by which a small file unpacks to petabytes
  const std::string local = zip_local_header(part.member) + part.data;
  ZipMember twin = part.member;
  expect_refused(local + zip_directory(std::vector{part.member, twin}, local.size()), "'a.npy' twice");
  twin.name = "b.npy";
  expect_refused(local + zip_directory(std::vector{part.member, twin}, local.size()), "two names");

  ZipMember moved = part.member;
  for (const uint64_t offset : std::vector<uint64_t>{1, local.size(), 1u << 31, uint64_t{1} << 40, ~uint64_t{0}}) {
    moved.header_offset = offset;
    EXPECT_NE(npz_error(local + zip_directory(std::vector{moved}, local.size())), "") << offset;
  }
  ZipMember longer = part.member;
  longer.size = longer.compressed_size += 1;
  expect_refused(local + zip_directory(std::vector{longer}, local.size()), "reaches past its end");

  // a whole archive as the stored data of a member, its inner member listed beside the outer one
  const Part inner = make_part("inner.npy", npy({3}, "abc"), false);
  const Part outer = make_part("outer.npy", zip_local_header(inner.member) + inner.data, false);
  ZipMember listed = inner.member;
  listed.header_offset = zip_local_header(outer.member).size();
  const std::string both = zip_local_header(outer.member) + outer.data;
  expect_refused(both + zip_directory(std::vector{outer.member, listed}, both.size()), "overlap");
}

TEST(Zip, TheSameKeyTwice) {
  const std::string content = npy({3}, "abc");
  expect_refused(build_zip({make_part("a.npy", content), make_part("a.npy", content)}), "twice");
  expect_refused(build_zip({make_part("a.npy", content), make_part("a", content)}), "the key 'a' twice");
}

TEST(Zip, EncryptedAndOtherMethods) {
  const std::string good = build_zip({make_part("a.npy", npy({3}, "abc"))});
  const size_t entry = good.find("PK\x01\x02");
  std::string bad = good;
  bad[entry + 8] |= 1;
  expect_refused(bad, "encrypted");
  bad = good;
  bad[entry + 10] = 12;
  expect_refused(bad, "method 12");
}

TEST(Zip, EndRecordsThatLie) {
  const std::string good = build_zip({make_part("a.npy", npy({3}, "abc"))});
  const size_t end = good.size() - 22;
  EXPECT_EQ(npz_error(good), "");
  for (const auto& [offset, width] : {std::pair{4, 2}, {6, 2}, {10, 2}, {12, 4}, {16, 4}, {20, 2}})
    for (const char value : {'\x01', '\x7f', '\xff'}) {
      std::string bad = good;
      bad.replace(end + offset, width, std::string(width, value));
      EXPECT_NE(npz_error(bad), "") << offset << " " << int{value};
    }
  for (size_t size = 0; size < good.size(); ++size) EXPECT_NE(npz_error(good.substr(0, size)), "") << size;
  EXPECT_NE(npz_error(good + "x"), "");

  const std::string good64 = build_zip64({make_part("a.npy", npy({3}, "abc"))});
  const size_t record = good64.find("PK\x06\x06"), locator = good64.find("PK\x06\x07");
  for (const size_t offset : {record, record + 32, record + 40, record + 48, locator + 8})
    for (const char value : {'\x01', '\x7f', '\xff'}) {
      std::string bad = good64;
      bad.replace(offset, 8, std::string(8, value));
      EXPECT_NE(npz_error(bad), "") << offset - record << " " << int{value};
    }
}

TEST(Zip, NamesInMessagesAreHarmless) {
  EXPECT_EQ(quote_name("a\n\x1b[2Jb"), "'a??[2Jb'");
  EXPECT_EQ(quote_name(std::string(1000, 'x')), "'" + std::string(60, 'x') + "...'");
  EXPECT_EQ(quote_name("größe"), "'größe'");
}

// members over 4 GiB: a file with a hole in it, of which only the ends are on the disk
TEST(Zip, LargeMembersUseZip64) {
  const TempFolder folder;
  const size_t rows = (size_t{5} << 30) / 1000;
  const std::string header = npy({rows, 1000}, "");
  ZipMember large = {"large.npy", false, 0, header.size() + rows * 1000, header.size() + rows * 1000, 0, 0};
  Part small = make_part("small.npy", npy({3}, "abc"));
  small.member.header_offset = zip_local_header(large).size() + large.size;
  const uint64_t directory = small.member.header_offset + zip_local_header(small.member).size() + small.data.size();

  const auto path = folder.write("x.npz", zip_local_header(large) + header);
  std::filesystem::resize_file(path, small.member.header_offset - 1);
  std::ofstream(path, std::ios::binary | std::ios::app) << "z" << zip_local_header(small.member) << small.data
                                                        << zip_directory(std::vector{large, small.member}, directory);

  const NpzReader reader(path);
  EXPECT_EQ(reader.keys(), (std::vector<std::string>{"large", "small"}));
  EXPECT_EQ(reader.info("large").shape, (Shape{rows, 1000}));
  EXPECT_EQ(reader.read("small").as<uint8_t>()[2], 'c');
  const auto file = RowFile::open_npz(path, "large", folder / "unused.npy");
  std::vector<std::byte> row(1000);
  file.read_rows(rows - 1, 1, row);
  EXPECT_EQ(row[998], std::byte{0});
  EXPECT_EQ(row[999], std::byte{'z'});
}

}  // namespace
}  // namespace alps

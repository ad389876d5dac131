#include "alps/base/npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "alps/base/file.h"
#include "temp_folder.h"

namespace alps {
namespace {

std::string npy_text(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string out = std::string("\x93NUMPY") + version + '\0';
  const std::string text = dictionary + "\n";
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>(text.size() >> (8 * i));
  return out + text + data;
}

std::string header_error(const std::string& dictionary) {
  return error_of([&] { parse_npy_dictionary(dictionary, "x.npy"); });
}

TEST(NpyHeader, IsWhatNumpyWrites) {
  const std::string header = npy_header(DType::kFloat32, {1000, 29});
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 29), }";
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(header.substr(10), text + std::string(128 - 11 - text.size(), ' ') + "\n");
  EXPECT_NE(npy_header(DType::kBool, {}).find("'|b1', 'fortran_order': False, 'shape': (), }"), std::string::npos);
  EXPECT_NE(npy_header(DType::kInt64, {7}).find("'<i8', 'fortran_order': False, 'shape': (7,), }"), std::string::npos);
}

TEST(NpyHeader, ReadsWhatPythonWouldRead) {
  const ArrayInfo info = parse_npy_dictionary("  {\"shape\":(2 ,3L,),'fortran_order':True,\n'descr':'=f8'}  \n", "");
  EXPECT_EQ(info.dtype, DType::kFloat64);
  EXPECT_EQ(info.shape, (Shape{2, 3}));
  EXPECT_TRUE(info.fortran_order);
  EXPECT_EQ(parse_npy_dictionary("{'descr': '>u1', 'fortran_order': False, 'shape': ()}", "").shape, Shape{});
}

TEST(NpyHeader, RefusesWhatIsNoHeader) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  EXPECT_EQ(header_error(good), "");
  for (size_t i = 0; i < good.size(); ++i) EXPECT_NE(header_error(good.substr(0, i)), "") << i;
  for (const char* bad : {
           "",
           "{}",
           "{'descr': '<f4', 'fortran_order': False}",
           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}",
           "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}",
           "{'descr': None, 'fortran_order': False, 'shape': (3,)}",
           "{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} more",
       })
    EXPECT_NE(header_error(bad).find("not NumPy's"), std::string::npos) << bad;
  std::string ones;
  for (int i = 0; i < 65; ++i) ones += "1,";
  EXPECT_NE(header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (" + ones + ")}"), "");
}

TEST(NpyHeader, NamesTypeAndRemedy) {
  const auto error = [](const std::string& descr) {
    return header_error("{'descr': " + descr + ", 'fortran_order': False, 'shape': (3,)}");
  };
  EXPECT_EQ(error("'>f4'"), "x.npy is big-endian (\">f4\"); save it with arr.astype(\"<f4\")");
  EXPECT_NE(error("'|O'").find("Python objects"), std::string::npos);
  EXPECT_NE(error("'<U3'").find("strings"), std::string::npos);
  EXPECT_NE(error("[('a', '<f4')]").find("structured"), std::string::npos);
  EXPECT_EQ(error("'<f2'"), "");  // read as float32
  EXPECT_NE(error("'>f2'").find("arr.astype(\"<f4\")"), std::string::npos);
  EXPECT_NE(error("'<u8'").find("arr.astype(\"<i8\")"), std::string::npos);
  for (const char* odd : {"''", "'<'", "'f'", "'<f'", "'<f44'", "'<<f4'"}) EXPECT_NE(error(odd), "") << odd;
}

TEST(Npy, ShapesMustMatchTheFile) {
  const TempFolder folder;
  const auto read = [&](const std::string& shape, size_t bytes, char version = 1) {
    const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}";
    const auto path = folder.write("x.npy", npy_text(dictionary, std::string(bytes, 'x'), version));
    return error_of([&] { read_npy(path); });
  };
  EXPECT_EQ(read("(3,)", 12), "");
  EXPECT_EQ(read("(3,)", 12, 2), "");
  EXPECT_EQ(read("(3,)", 12, 3), "");
  EXPECT_NE(read("(3,)", 12, 4), "");
  EXPECT_EQ(read("()", 4), "");
  EXPECT_EQ(read("(0, 5)", 0), "");
  EXPECT_NE(read("(0, 9223372036854775807)", 0), "");
  for (const size_t bytes : {0, 11, 13, 24}) EXPECT_NE(read("(3,)", bytes), "") << bytes;
  // products that wrap around to 0 and to 12
  EXPECT_NE(read("(4294967296, 4294967296)", 0), "");
  EXPECT_NE(read("(4294967296, 4294967296, 0)", 0), "");
  EXPECT_NE(read("(4611686018427387907,)", 12), "");
}

TEST(Npy, FortranOrderBecomesCOrder) {
  const TempFolder folder;
  // element (i, j, k) holds 100 i + 10 j + k; in Fortran order i runs fastest
  std::string data;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) {
        const int32_t value = 100 * i + 10 * j + k;
        data.append(reinterpret_cast<const char*>(&value), 4);
      }
  const auto path =
      folder.write("x.npy", npy_text("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3, 4)}", data));
  const Array array = read_npy(path);
  size_t at = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) EXPECT_EQ(array.as<int32_t>()[at++], 100 * i + 10 * j + k);
}

TEST(Npy, HalvesBecomeFloats) {
  const TempFolder folder;
  // 0, -0, 1, -2, 65504, the smallest normal, the smallest subnormal, infinity
  const uint16_t halves[] = {0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x7c00};
  const float expected[] = {0, -0.0f, 1, -2, 65504, 0x1p-14f, 0x1p-24f, std::numeric_limits<float>::infinity()};
  const std::string bytes(reinterpret_cast<const char*>(halves), sizeof halves);
  const auto read = [&](const char* shape, const char* order, const std::string& data) {
    return read_npy(folder.write(
        "x.npy", npy_text(str("{'descr': '<f2', 'fortran_order': ", order, ", 'shape': ", shape, "}"), data)));
  };
  const Array line = read("(8,)", "False", bytes), table = read("(4, 2)", "True", bytes);
  EXPECT_EQ(line.dtype(), DType::kFloat32);
  EXPECT_TRUE(std::ranges::equal(line.as<float>(), expected));
  EXPECT_TRUE(std::signbit(line.as<float>()[1]));
  EXPECT_EQ(table.as<float>()[1], 65504);  // (0, 1)
  EXPECT_EQ(table.as<float>()[2], 0);
  EXPECT_NE(error_of([&] { read("(9,)", "False", bytes); }).find("float16"), std::string::npos);
}

TEST(Npy, BoolsAreZeroOrOne) {
  const TempFolder folder;
  const auto path =
      folder.write("x.npy", npy_text("{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}", {0, 1, 2, '\xff'}));
  const Array array = read_npy(path);
  EXPECT_EQ(std::vector<bool>(array.as<bool>().begin(), array.as<bool>().end()),
            (std::vector<bool>{false, true, true, true}));
}

TEST(Npy, ThereAndBack) {
  const TempFolder folder;
  std::vector<double> values(60);
  std::iota(values.begin(), values.end(), -3.5);
  write_npy(folder / "deep" / "x.npy", Array::of<double>({3, 4, 5}, values));
  const Array array = read_npy(folder / "deep" / "x.npy");
  EXPECT_EQ(array.shape(), (Shape{3, 4, 5}));
  EXPECT_TRUE(std::ranges::equal(array.as<double>(), values));

  write_npy(folder / "empty.npy", Array());
  EXPECT_EQ(read_npy(folder / "empty.npy").shape(), Shape{0});
  EXPECT_NE(error_of([&] { read_npy(folder / "missing.npy"); }).find("missing.npy"), std::string::npos);
  EXPECT_NE(error_of([&] { read_npy(folder / "deep"); }), "");
}

}  // namespace
}  // namespace alps

#include "alps/base/safetensors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "alps/base/file.h"
#include "alps/base/rng.h"

namespace alps {
namespace {

namespace fs = std::filesystem;

class SafetensorsTest : public testing::Test {
 protected:
  SafetensorsTest() : folder_(fs::temp_directory_path() / str("alps_safetensors_", getpid())) {
    fs::create_directories(folder_);
  }
  ~SafetensorsTest() override { fs::remove_all(folder_); }

  static Tensors example() {
    Tensors tensors;
    tensors.arrays["a.weight"] = Array::of<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6.5f});
    tensors.arrays["bytes"] = Array::of<uint8_t>({5}, std::vector<uint8_t>{1, 2, 3, 4, 255});
    tensors.arrays["empty"] = Array(DType::kFloat32, {0, 4});
    tensors.arrays["scalar"] = Array::of<double>({}, std::vector<double>{3.25});
    tensors.arrays["step"] = Array::of<int64_t>({1}, std::vector<int64_t>{1'000'000'000'000});
    tensors.metadata = {{"format", "1"}, {"note", "quotes \" and \u00e4"}};
    return tensors;
  }
  std::string message(const std::string& bytes, bool as_header) {
    const fs::path path = folder_ / "bad.safetensors";
    std::ofstream out(path, std::ios::binary);
    const uint64_t size = bytes.size();
    if (as_header) out.write(reinterpret_cast<const char*>(&size), 8);
    out << bytes;
    out.close();
    try {
      read_safetensors(path);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(SafetensorsTest, RoundTrip) {
  const fs::path path = folder_ / "x.safetensors";
  const Tensors written = example();
  write_safetensors(path, written);
  const Tensors read = read_safetensors(path);
  ASSERT_EQ(read.arrays.size(), written.arrays.size());
  for (const auto& [name, array] : written.arrays) {
    const Array& other = read.at(name, array.dtype(), array.shape());
    EXPECT_TRUE(std::ranges::equal(other.bytes(), array.bytes())) << name;
  }
  EXPECT_EQ(read.text("note"), written.metadata.at("note"));
  EXPECT_THROW(read.at("missing"), Error);
  EXPECT_THROW(read.at("bytes", DType::kFloat32, {5}), Error);
}

TEST_F(SafetensorsTest, SaysWhatIsWrong) {
  EXPECT_NE(message("abc", false).find("3 bytes long"), std::string::npos);
  EXPECT_NE(message("not json", true).find("JSON"), std::string::npos);
  EXPECT_NE(message(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", true).find("outside"),
            std::string::npos);
  EXPECT_NE(message(R"({"a":{"dtype":"BF16","shape":[0],"data_offsets":[0,0]}})", true).find("BF16"),
            std::string::npos);
  EXPECT_NE(message(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", true), "");
  EXPECT_NE(message(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,0]}})", true), "");
  EXPECT_NE(message(R"({"a":{"dtype":"F32","shape":[1e30],"data_offsets":[0,0]}})", true), "");
  EXPECT_NE(message(R"({"__metadata__":{"a":1}})", true).find("metadata"), std::string::npos);
  EXPECT_NE(message(std::string(8, '\xff'), false).find("header"), std::string::npos);
}

TEST_F(SafetensorsTest, NoticesEditedBytes) {
  const fs::path path = folder_ / "x.safetensors";
  write_safetensors(path, example());
  std::string bytes = read_text(path);
  bytes[bytes.size() - 1] ^= 1;
  write_text(path, bytes);
  try {
    read_safetensors(path);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("checksum"), std::string::npos);
  }
}

// every damaged file gives an Error or is read; nothing else, and no allocation beyond the file's size
TEST_F(SafetensorsTest, Fuzz) {
  const fs::path path = folder_ / "x.safetensors";
  write_safetensors(path, example());
  const std::string good = read_text(path);
  Rng rng(1);
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = good;
    const int changes = 1 + static_cast<int>(rng.below(6));
    for (int c = 0; c < changes; ++c) {
      const size_t at = rng.below(bytes.size());
      switch (rng.below(5)) {
        case 0: bytes[at] = static_cast<char>(rng.next()); break;
        case 1: bytes.resize(std::max<size_t>(1, at)); break;
        case 2: bytes.insert(at, 1 + rng.below(9), static_cast<char>('0' + rng.below(10))); break;
        case 3: bytes.erase(at, 1 + rng.below(20)); break;
        default: bytes[at] = "{}[]\",:0-"[rng.below(9)];
      }
      if (bytes.empty()) bytes = "x";
    }
    std::ofstream(path, std::ios::binary) << bytes;  // without the disk's round trip
    try {
      read_safetensors(path);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 3000);
}

}  // namespace
}  // namespace alps

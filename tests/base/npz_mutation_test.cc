// Thousands of damaged files: each either loads or throws alps::Error, and no single allocation on the way is larger
// than what a file of that size can honestly hold. Deflate expands at most 1032 : 1, so the bound is 1032 times the
// file, and room for buffers of fixed size.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "alps/base/file.h"
#include "alps/base/npy.h"
#include "alps/base/rng.h"
#include "temp_folder.h"
#include "zip_builder.h"

namespace {
std::atomic<size_t> largest_allocation = 0;
void note_allocation(size_t size) {
  for (size_t seen = largest_allocation; size > seen && !largest_allocation.compare_exchange_weak(seen, size);) {
  }
}
}  // namespace

// every allocation is noted: by the sanitizer's hook where there is one, by our own operator new elsewhere
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                         void (*)(const volatile void*));
namespace {
const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, size_t size) { note_allocation(size); }, [](const volatile void*) {});
}
#else
// not inlined, or the compiler sees malloc meet delete and complains
[[gnu::noinline]] void* operator new(size_t size) {
  note_allocation(size);
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif

namespace alps {
namespace {

constexpr size_t kFixedBuffers = 1 << 20;

// bit flips, cuts, splices, numbers at the edge of their range; anywhere, or in the fields behind a signature
class Mutator {
 public:
  explicit Mutator(uint64_t seed) : rng_(seed) {}

  std::string mutate(std::string file) {
    for (uint64_t i = 1 + rng_.below(3); i > 0 && !file.empty(); --i) {
      switch (rng_.below(8)) {
        case 0: flip_bits(file); break;
        case 1: file.resize(rng_.below(file.size())); break;
        case 2: splice(file); break;
        case 3: edge_number(file, rng_.below(file.size())); break;
        case 4: digits(file); break;
        default: edge_number(file, field(file)); break;  // what a hostile file would aim at
      }
    }
    return file;
  }

 private:
  void flip_bits(std::string& file) {
    for (uint64_t n = 1 + rng_.below(8); n > 0; --n)
      file[rng_.below(file.size())] ^= static_cast<char>(1 << rng_.below(8));
  }

  // a piece of the file copied over, put in at, or taken out of another place
  void splice(std::string& file) {
    const size_t from = rng_.below(file.size()), to = rng_.below(file.size());
    const std::string piece = file.substr(from, 1 + rng_.below(100));
    switch (rng_.below(3)) {
      case 0: file.replace(to, piece.size(), piece); break;
      case 1: file.insert(to, piece); break;
      case 2: file.erase(to, piece.size()); break;
    }
  }

  void edge_number(std::string& file, size_t at) {
    static constexpr uint64_t kEdges[] = {0,
                                          1,
                                          0x7f,
                                          0xff,
                                          0x7fff,
                                          0xffff,
                                          0x7fffffff,
                                          0xfffffffe,
                                          0xffffffff,
                                          uint64_t{1} << 40,
                                          ~uint64_t{0} >> 1,
                                          ~uint64_t{0}};
    const size_t width = size_t{1} << rng_.below(4);
    const uint64_t value = rng_.pick(std::span<const uint64_t>(kEdges)) - rng_.below(2);
    for (size_t i = 0; i < width && at + i < file.size(); ++i) file[at + i] = static_cast<char>(value >> (8 * i));
  }

  size_t field(const std::string& file) {
    std::vector<size_t> starts;
    for (const char* signature : {"PK\x01\x02", "PK\x03\x04", "PK\x05\x06", "PK\x06\x06", "PK\x06\x07", "\x93NUMPY"})
      for (size_t at = file.find(signature); at != std::string::npos; at = file.find(signature, at + 1))
        starts.push_back(at);
    const size_t start = starts.empty() ? 0 : rng_.pick(std::span<const size_t>(starts));
    return std::min(file.size() - 1, start + rng_.below(56));
  }

  // other digits in the shapes of headers that are not compressed
  void digits(std::string& file) {
    const size_t shape = file.find("'shape': (");
    if (shape == std::string::npos) return flip_bits(file);
    std::string number = std::to_string(rng_.next() >> rng_.below(64));
    if (rng_.below(2)) number += ", " + std::to_string(rng_.next());
    file.replace(shape + 10, number.size(), number);
  }

  Rng rng_;
};

// reads everything in every way; true if nothing was refused
bool read_npz(const std::filesystem::path& path, const std::filesystem::path& unpacked) {
  bool whole = true;
  const auto attempt = [&](const auto& work) {
    try {
      work();
    } catch (const Error&) {
      whole = false;
    }
  };
  attempt([&] {
    const NpzReader reader(path);
    for (const std::string& key : reader.keys()) {
      attempt([&] { reader.read(key); });
      attempt([&] {
        if (reader.info(key).fortran_order) return;
        std::array<std::byte, 777> piece;
        for (const auto stream = reader.stream(key); stream->read(piece) == piece.size();) {
        }
      });
      attempt([&] {
        if (reader.info(key).fortran_order || reader.info(key).compressed) return;
        const RowFile rows = RowFile::open_npz(path, key, unpacked);
        std::vector<std::byte> out(rows.info().byte_size());
        rows.read_rows(0, rows.info().shape.empty() ? 1 : rows.info().shape[0], out);
      });
    }
  });
  return whole;
}

std::vector<std::string> good_archives(const TempFolder& folder) {
  Rng rng(1);
  std::vector<uint8_t> values(600);
  for (auto& value : values) value = static_cast<uint8_t>(rng.below(9));
  const std::vector<double> doubles(3000, 1.5);
  std::string fortran = npy_header(DType::kUInt8, {20, 30});
  fortran.replace(fortran.find("False"), 5, "True ").append(values.begin(), values.end());

  std::vector<std::string> archives;
  for (const int level : {0, 6}) {
    NpzWriter writer(folder / "good.npz", {.level = level, .threads = 1});
    writer.add("bytes", Array::of<uint8_t>({20, 30}, values));
    writer.add("doubles", Array::of<double>({1000, 3}, doubles));  // deflates about 200 : 1
    writer.add("scalar", Array::of<uint8_t>({}, std::span<const uint8_t>(values).first(1)));
    writer.finish();
    archives.push_back(read_text(folder / "good.npz"));
  }
  const std::vector<Part> parts = {make_part("f.npy", fortran), make_part("g.npy", fortran, false)};
  archives.push_back(build_zip(parts));
  archives.push_back(build_zip64(parts));
  return archives;
}

TEST(Mutations, OfNpzLoadOrThrowError) {
  const TempFolder folder;
  const auto archives = good_archives(folder);
  Mutator mutator(7);
  size_t refused = 0;
  constexpr size_t kFiles = 4000;
  for (const auto& archive : archives) ASSERT_TRUE(read_npz(folder.write("x.npz", archive), folder / "rows.npy"));
  for (size_t i = 0; i < kFiles; ++i) {
    const std::string bytes = mutator.mutate(archives[i % archives.size()]);
    const auto path = folder.write("x.npz", bytes);
    largest_allocation = 0;
    ASSERT_NO_THROW(refused += !read_npz(path, folder / "rows.npy")) << "file " << i;
    ASSERT_LE(largest_allocation, 1032 * bytes.size() + kFixedBuffers) << "file " << i;
  }
  // some damage is harmless (dates, comments), most is not
  EXPECT_GT(refused, kFiles / 2);
  EXPECT_LT(refused, kFiles);
}

TEST(Mutations, OfNpyLoadOrThrowError) {
  const TempFolder folder;
  std::vector<std::string> good;
  const std::string data(24, '\1');
  for (const char* order : {"False", "True"})
    for (const char version : {1, 2, 3}) {
      const std::string text =
          str("{'descr': '<i4', 'fortran_order': ", order, ", 'shape': (3, 2), }", std::string(20, ' '), "\n");
      std::string file = std::string("\x93NUMPY") + version + '\0' + static_cast<char>(text.size()) + '\0';
      if (version > 1) file += std::string(2, '\0');
      good.push_back(file + text + data);
    }
  Mutator mutator(8);
  size_t refused = 0;
  constexpr size_t kFiles = 4000;
  for (const auto& file : good) ASSERT_EQ(read_npy(folder.write("x.npy", file)).shape(), (Shape{3, 2}));
  for (size_t i = 0; i < kFiles; ++i) {
    const std::string bytes = mutator.mutate(good[i % good.size()]);
    const auto path = folder.write("x.npy", bytes);
    largest_allocation = 0;
    ASSERT_NO_THROW(refused += error_of([&] { read_npy(path); }) != "") << "file " << i;
    // nothing is compressed: no array is larger than the file
    ASSERT_LE(largest_allocation, bytes.size() + kFixedBuffers) << "file " << i;
  }
  EXPECT_GT(refused, kFiles / 2);
  EXPECT_LT(refused, kFiles);
}

// the bound means something: an allocation beyond it is seen
TEST(Mutations, AllocationsAreSeen) {
  largest_allocation = 0;
  const Array array(DType::kUInt8, {123'456'789});
  EXPECT_GE(largest_allocation, array.byte_size());
}

}  // namespace
}  // namespace alps

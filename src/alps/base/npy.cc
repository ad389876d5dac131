#include "alps/base/npy.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>

#include "alps/base/file.h"
#include "alps/base/input_file.h"

namespace alps {

namespace {

// large arrays are filled once, front to back: huge pages save most of the page faults, as NumPy knows too
void prefer_huge_pages(std::span<std::byte> bytes) {
  constexpr size_t kLarge = 4 << 20, kPage = 4096;
  if (bytes.size() < kLarge) return;
  const size_t skip = kPage - reinterpret_cast<uintptr_t>(bytes.data()) % kPage;
  madvise(bytes.data() + skip, bytes.size() - skip, MADV_HUGEPAGE);  // advice: it does not matter if it is not taken
}

Array allocate(const ArrayInfo& info, const std::string& where) {
  try {
    Array array(info.dtype, info.shape);
    prefer_huge_pages(array.bytes());
    return array;
  } catch (const std::bad_alloc&) {
    throw Error(where, " needs ", info.byte_size(), " bytes of memory, more than there is; read it in pieces");
  }
}

// Fortran order: the first axis runs fastest in the file, the last one in memory. Elements are put in place as they
// come, so that no second copy of the array is ever held. Word is any type as wide as the elements.
template <class Word>
void scatter_fortran(const ReadFn& next, const Shape& shape, std::span<std::byte> bytes) {
  const size_t axes = shape.size(), size = bytes.size() / sizeof(Word);
  Shape stride(axes, 1), index(axes, 0);
  for (size_t axis = axes - 1; axis > 0; --axis) stride[axis - 1] = stride[axis] * shape[axis];

  std::vector<Word> piece(std::min<size_t>(size, (256 << 10) / sizeof(Word)));
  size_t to = 0;
  for (size_t done = 0; done < size; done += piece.size()) {
    piece.resize(std::min(piece.size(), size - done));
    next(std::as_writable_bytes(std::span(piece)));
    for (const Word& word : piece) {
      std::memcpy(bytes.data() + to * sizeof(Word), &word, sizeof(Word));
      // one step along the first axis; a full axis starts again and carries into the next
      to += stride[0];
      for (size_t axis = 0; ++index[axis] == shape[axis] && axis + 1 < axes; ++axis) {
        index[axis] = 0;
        to = to - shape[axis] * stride[axis] + stride[axis + 1];
      }
    }
  }
}

// IEEE 754 binary16: a sign, five bits of exponent, ten of fraction
float from_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16, exponent = half >> 10 & 0x1f,
                 fraction = half & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);  // infinite, or no number
  if (exponent > 0) return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | fraction << 13);
  const float small = std::ldexp(static_cast<float>(fraction), -24);
  return sign ? -small : small;
}

}  // namespace

ReadFn widened(ReadFn next) {
  return [next = std::move(next), halves = std::vector<uint16_t>()](std::span<std::byte> out) mutable {
    constexpr size_t kPiece = 64 << 10;
    ALPS_CHECK(out.size() % sizeof(float) == 0);
    while (!out.empty()) {
      const size_t n = std::min(kPiece, out.size() / sizeof(float));
      halves.resize(n);
      next(std::as_writable_bytes(std::span(halves)));
      for (size_t i = 0; i < n; ++i) {
        const float value = from_half(halves[i]);
        std::memcpy(out.data() + i * sizeof(float), &value, sizeof(float));
      }
      out = out.subspan(n * sizeof(float));
    }
  };
}

ReadFn front_to_back(const InputFile& file) {
  return [&file, position = uint64_t{0}](std::span<std::byte> out) mutable {
    file.read_at(position, out);
    position += out.size();
  };
}

void normalize_bools(DType dtype, std::span<std::byte> bytes) {
  if (dtype != DType::kBool) return;
  for (std::byte& b : bytes) b = b == std::byte{0} ? std::byte{0} : std::byte{1};
}

Array read_npy_array(const ReadFn& next, const ArrayInfo& info, const std::string& where) {
  Array array = allocate(info, where);
  if (!info.fortran_order || info.shape.size() < 2 || array.size() == 0)
    next(array.bytes());
  else if (item_size(info.dtype) == 1)
    scatter_fortran<uint8_t>(next, info.shape, array.bytes());
  else if (item_size(info.dtype) == 4)
    scatter_fortran<uint32_t>(next, info.shape, array.bytes());
  else
    scatter_fortran<uint64_t>(next, info.shape, array.bytes());
  normalize_bools(info.dtype, array.bytes());
  return array;
}

Array read_npy(const std::filesystem::path& path) {
  const InputFile file(path);
  const ReadFn next = front_to_back(file);
  const NpyHeader header = read_npy_header(next, file.size(), path.string());
  return read_npy_array(header.half ? widened(next) : next, header.info, path.string());
}

void write_npy(const std::filesystem::path& path, const Array& array) {
  AtomicFile file(path);
  file.write(npy_header(array.dtype(), array.shape()));
  file.write(array.bytes());
  file.commit();
}

}  // namespace alps

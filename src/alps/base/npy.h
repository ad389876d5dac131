// The .npy format (NEP 1): "\x93NUMPY", a version, the length of the header and the header, a Python dictionary such as
// {'descr': '<f4', 'fortran_order': False, 'shape': (1000, 29), }, then the bytes of the array. Read from anything that
// hands out bytes front to back: a file, or a member of an archive being inflated. Used by every part of npz.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "alps/base/npz.h"

namespace alps {

class InputFile;

// fills `out` with the next bytes of the file or member, or throws
using ReadFn = std::function<void(std::span<std::byte> out)>;
ReadFn front_to_back(const InputFile& file);  // from the first byte of the file, which must outlive it

struct NpyHeader {
  ArrayInfo info;
  size_t size = 0;  // bytes of the header, from the magic to where the array begins
  // The file holds float16 ('<f2'), which we give out as float32: `info` says float32, and whoever reads the bytes
  // behind the header reads them through widened().
  bool half = false;
};

// `total` is the size of the file or member: the header is accepted only if header and array fill it exactly, so what
// an array claims to hold is bounded by it. `where` opens every error message, "x.npz: key 'observations'".
NpyHeader read_npy_header(const ReadFn& next, uint64_t total, const std::string& where);

// the dictionary alone; does not yet compare the shape with any size
ArrayInfo parse_npy_dictionary(std::string_view text, const std::string& where);

// float32 from a source of float16; asked for whole numbers only
ReadFn widened(ReadFn next);

// the array behind the header, in C order whatever the order of the file
Array read_npy_array(const ReadFn& next, const ArrayInfo& info, const std::string& where);

// the bytes NumPy itself would write
std::string npy_header(DType dtype, const Shape& shape);

// a byte of a bool array may hold anything in a file; in C++ it must be 0 or 1
void normalize_bools(DType dtype, std::span<std::byte> bytes);

}  // namespace alps

// NumPy's .npy and .npz files (NEP 1; an .npz is a ZIP archive of .npy members), read and written without NumPy.
// Types: bool, uint8, int32, int64, float32, float64. Stored and deflated members, plain ZIP and ZIP64 (which NumPy
// writes). Fortran order is converted to C order; big-endian and object arrays are refused. A file is never trusted:
// sizes are checked against what the file can hold before anything is allocated, checksums are verified.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alps/base/array.h"

namespace alps {

Array read_npy(const std::filesystem::path& path);
void write_npy(const std::filesystem::path& path, const Array& array);  // atomic

struct ArrayInfo {
  DType dtype;
  Shape shape;
  bool fortran_order = false;
  bool compressed = false;
  size_t byte_size() const { return element_count(shape) * item_size(dtype); }
};

// Reads one array front to back in pieces, so that arrays larger than memory can be passed over. C order only.
class ArrayStream {
 public:
  virtual ~ArrayStream() = default;
  virtual const ArrayInfo& info() const = 0;
  // fills `out` with the next bytes of the array; returns how many, fewer than out.size() only at the end (where the
  // checksum has then been verified)
  virtual size_t read(std::span<std::byte> out) = 0;
};

class NpzReader {
 public:
  explicit NpzReader(std::filesystem::path path);
  ~NpzReader();
  NpzReader(NpzReader&&) noexcept;

  const std::filesystem::path& path() const;
  std::vector<std::string> keys() const;  // in the order of the archive, without ".npy"
  bool has(const std::string& key) const;
  ArrayInfo info(const std::string& key) const;
  Array read(const std::string& key) const;                                           // any number of threads at once
  std::vector<Array> read(std::span<const std::string> keys, int threads = 0) const;  // members in parallel
  std::unique_ptr<ArrayStream> stream(const std::string& key) const;
  // Eight hexadecimal digits that are equal for files with the same arrays, however they are compressed and ordered:
  // the CRC of the members' names, sizes and CRCs as the directory has them. Costs no pass over the file; reading a
  // member verifies its CRC.
  std::string contents_crc32() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct NpzOptions {
  int level = 6;    // zlib's; 0 stores the members
  int threads = 0;  // blocks are deflated in parallel; the file does not depend on this
};

// Writes an archive member by member. Atomic: the file appears at finish(); without it nothing is left behind.
class NpzWriter {
 public:
  explicit NpzWriter(std::filesystem::path path, NpzOptions options = {});
  ~NpzWriter();

  void add(const std::string& key, const Array& array);
  // the same in pieces, for arrays larger than memory: begin, any number of appends, then the next begin or finish
  void begin(const std::string& key, DType dtype, const Shape& shape);
  void append(std::span<const std::byte> bytes);
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// how many bytes that a member begins with take there once they are deflated
size_t deflated_size(std::span<const std::byte> bytes, int level = NpzOptions{}.level);

// Random access to the rows of an array too large for memory: an .npy file, or a stored .npz member, is read in place;
// a deflated member is first unpacked to `unpack_to` (an .npy file, kept and reused while it is newer than its source),
// if the disk has room for it. Checksums are verified when unpacking; rows read in place are not checked.
class RowFile {
 public:
  static RowFile open_npy(const std::filesystem::path& path);
  // `disk`: the bytes that are free where it is unpacked to; left out, the file system says it
  static RowFile open_npz(const std::filesystem::path& path, const std::string& key,
                          const std::filesystem::path& unpack_to, std::optional<uintmax_t> disk = {});
  // what was unpacked from `source` before, if it can still be that array
  static std::optional<RowFile> open_unpacked(const std::filesystem::path& source, const ArrayInfo& array,
                                              const std::filesystem::path& unpacked);
  ~RowFile();
  RowFile(RowFile&&) noexcept;

  const ArrayInfo& info() const;
  void read_rows(size_t first, size_t count, std::span<std::byte> out) const;  // any number of threads at once

 private:
  RowFile();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// throws an Error that names sizes and remedies unless `array` of `source` can be unpacked to `unpack_to`
void expect_room_to_unpack(const std::filesystem::path& source, const ArrayInfo& array,
                           const std::filesystem::path& unpack_to, std::optional<uintmax_t> disk = {});

}  // namespace alps

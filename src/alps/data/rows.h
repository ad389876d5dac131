// The observations of a data set, row by row, the same way wherever they are kept. Numbers are held in memory as
// float32. Of images the distinct ones are held (data/image_pool.h). What would take more than two fifths of the memory
// (base/memory.h) stays on disk: a stored member of the .npz is read in place, a deflated one is unpacked once beside
// the file, to NAME.observations.npy, which is kept for the next time. The file is passed over once, in one stream.
// Training, the embedding of all states and samples of them all read through this class, and get the same numbers to
// the last bit whichever way they are kept. A data set in many files is as many of these one after the other: the first
// ones are held as long as there is memory, the others stay on disk. Immutable and cheap to copy; any number of threads
// may read at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alps/base/array.h"
#include "alps/base/npz.h"
#include "alps/base/observation.h"

namespace alps {

struct RowsOptions {
  size_t memory = 0;                // bytes that may be held in memory; 0: memory_for_data()
  std::optional<uintmax_t> disk{};  // bytes that are free for unpacking; left out, the file system says it
  std::span<const size_t> only{};   // ascending; the only rows that will be asked for: these alone are held
};

class ObservationRows {
 public:
  enum class Kept { kFloats, kDistinctImages, kDisk };

  ObservationRows() = default;  // no rows
  ObservationRows(Array rows);  // NOLINT: float32 (rows, size) or uint8 (rows, height, width, channels), in memory
  // 'observations' of a data set: float32 or float64 (rows, size), or uint8 (rows, height, width, channels)
  static ObservationRows open(const NpzReader& file, const RowsOptions& options = {});
  // the same of a file, or of a folder of them (data/many_files.h)
  static ObservationRows open(const std::filesystem::path& path, const RowsOptions& options = {});
  // the rows of several, after each other; `counts`: how many each file has, also where none of them are held
  static ObservationRows joined(std::vector<ObservationRows> pieces, std::span<const size_t> counts);

  size_t rows() const;
  bool empty() const { return rows() == 0; }
  const Shape& shape() const;  // of one row
  size_t row_size() const;     // numbers, or bytes
  bool image() const;
  Kept kept() const;
  size_t memory() const;      // bytes of observations held in memory
  std::string about() const;  // "12.3 GB of images on disk, in x.observations.npy"

  // One row of numbers, or of bytes: a view into memory, or into `buffer` if it had to be read from disk.
  std::span<const float> floats(size_t row, std::vector<float>& buffer) const;
  std::span<const uint8_t> bytes(size_t row, std::vector<uint8_t>& buffer) const;
  ObservationCopy copy(size_t row) const;
  // a view of a row that is in memory; an internal error if it is on disk
  template <class T>
  std::span<const T> row(size_t row) const;
  // rows first .. first + out.size() / row_size() - 1
  void read(size_t first, std::span<float> out) const;
  void read(size_t first, std::span<uint8_t> out) const;
  // chosen rows, in this order
  void read(std::span<const size_t> rows, std::span<float> out) const;
  void read(std::span<const size_t> rows, std::span<uint8_t> out) const;
  Array chosen(std::span<const size_t> rows) const;  // the same as an array (n, ...)
  Array all() &&;                                    // every row, as the file has them; moved out if that is possible

  // What a network need compute only once: the distinct images, else the rows.
  size_t distinct() const;
  size_t distinct_of(size_t row) const;
  std::span<const uint8_t> distinct_bytes(size_t i, std::vector<uint8_t>& buffer) const;

 private:
  struct Impl;
  explicit ObservationRows(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  static std::shared_ptr<Impl> open_floats(const NpzReader& file, const ArrayInfo& info, const RowsOptions& options);
  static std::shared_ptr<Impl> open_images(const NpzReader& file, const ArrayInfo& info, const RowsOptions& options);
  size_t slot(size_t row) const;  // where a row is among those that are held
  template <class T>
  void read_pieces(size_t first, std::span<T> out) const;

  std::shared_ptr<const Impl> impl_;
};

template <>
std::span<const float> ObservationRows::row<float>(size_t row) const;
template <>
std::span<const uint8_t> ObservationRows::row<uint8_t>(size_t row) const;

// where a deflated member is unpacked to: x/NAME.npz -> x/NAME.observations.npy
std::filesystem::path unpacked_path(const std::filesystem::path& file);

}  // namespace alps

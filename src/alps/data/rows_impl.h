// The inside of ObservationRows, for the files that know it: rows_open.cc and rows_joined.cc fill it, rows.cc reads
// from it.
#pragma once

#include <algorithm>
#include <utility>

#include "alps/data/image_pool.h"
#include "alps/data/rows.h"

namespace alps {

struct ObservationRows::Impl {
  Shape shape;  // of a row
  size_t rows = 0, row_size = 0;
  bool image = false;
  Array floats;  // one of the four
  std::optional<ImagePool> pool;
  std::optional<RowFile> file;
  std::vector<ObservationRows> pieces;  // no rows where none are held
  std::vector<size_t> first;            // row of each piece, and the number of all rows
  std::vector<size_t> first_distinct;   // the same for distinct images
  std::filesystem::path on_disk;        // what `file` reads
  std::vector<size_t> only;             // the rows that are held; empty: all

  Impl(const Shape& whole, bool bytes) : shape(whole.begin() + 1, whole.end()), rows(whole[0]), image(bytes) {
    row_size = element_count(shape);
  }

  // the piece that a row (or a distinct image, with `starts` theirs) is in, and where in it
  std::pair<const ObservationRows*, size_t> piece_of(size_t row, const std::vector<size_t>& starts) const {
    ALPS_CHECK(row < starts.back());
    const auto next = std::ranges::upper_bound(starts, row);
    return {&pieces[static_cast<size_t>(next - starts.begin()) - 1], row - *(next - 1)};
  }
};

}  // namespace alps

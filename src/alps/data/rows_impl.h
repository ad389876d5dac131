// The inside of ObservationRows, for the two files that know it: rows_open.cc fills it, rows.cc reads from it.
#pragma once

#include "alps/data/image_pool.h"
#include "alps/data/rows.h"

namespace alps {

struct ObservationRows::Impl {
  Shape shape;  // of a row
  size_t rows = 0, row_size = 0;
  bool image = false;
  Array floats;  // one of the three
  std::optional<ImagePool> pool;
  std::optional<RowFile> file;
  std::filesystem::path on_disk;  // what `file` reads
  std::vector<size_t> only;       // the rows that are held; empty: all

  Impl(const Shape& whole, bool bytes) : shape(whole.begin() + 1, whole.end()), rows(whole[0]), image(bytes) {
    row_size = element_count(shape);
  }
};

}  // namespace alps

// Observations of a data set in many files: each file's own rows, one after the other.
#include <algorithm>

#include "alps/base/memory.h"
#include "alps/data/many_files.h"
#include "alps/data/rows_impl.h"

namespace fs = std::filesystem;

namespace alps {

ObservationRows ObservationRows::joined(std::vector<ObservationRows> pieces, std::span<const size_t> counts) {
  ALPS_CHECK(pieces.size() == counts.size());
  const auto some = std::ranges::find_if(pieces, [](const ObservationRows& p) { return !p.empty(); });
  if (some == pieces.end()) return {};
  Shape whole = {0};
  whole.insert(whole.end(), some->shape().begin(), some->shape().end());
  auto impl = std::make_shared<Impl>(whole, some->image());
  impl->first = impl->first_distinct = {0};
  for (size_t i = 0; i < pieces.size(); ++i) {
    ALPS_CHECK(pieces[i].empty() || (pieces[i].shape() == impl->shape && pieces[i].image() == impl->image));
    impl->first.push_back(impl->first.back() + counts[i]);
    impl->first_distinct.push_back(impl->first_distinct.back() + pieces[i].distinct());
  }
  impl->rows = impl->first.back();
  impl->pieces = std::move(pieces);
  return ObservationRows(std::move(impl));
}

ObservationRows ObservationRows::open(const fs::path& path, const RowsOptions& options) {
  if (!fs::is_directory(path)) return open(NpzReader(path), options);
  size_t memory = options.memory == 0 ? memory_for_data() : options.memory, begin = 0, chosen = 0;
  std::vector<ObservationRows> pieces;
  std::vector<size_t> counts, only;
  for (const fs::path& file : files_of(path)) {
    const NpzReader reader(file);
    const Shape shape = reader.info("observations").shape;
    const size_t rows = shape.empty() ? 0 : shape[0];
    // the chosen rows of this file; a file without any stays closed
    only.clear();
    for (; chosen < options.only.size() && options.only[chosen] < begin + rows; ++chosen)
      only.push_back(options.only[chosen] - begin);
    const bool closed = !options.only.empty() && only.empty();
    pieces.push_back(closed ? ObservationRows() : open(reader, {.memory = memory, .disk = options.disk, .only = only}));
    memory -= std::min(memory - 1, pieces.back().memory());
    counts.push_back(rows);
    begin += rows;
  }
  return joined(std::move(pieces), counts);
}

}  // namespace alps

// Where the observations of a file are kept is decided here: read once, in one stream, into memory or to disk.
#include <algorithm>
#include <utility>

#include "alps/base/file.h"
#include "alps/base/interrupt.h"
#include "alps/base/memory.h"
#include "alps/base/npy.h"
#include "alps/data/rows_impl.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr size_t kPiece = size_t{1} << 20;  // bytes that are written at once
constexpr size_t kLook = 1024;              // rows between two looks for Ctrl-C

// images that turned out to be too many for memory: those of `pool`, the next one, and the rest of the stream
void unpack_rest(const ImagePool& pool, std::span<const uint8_t> next, ArrayStream& rest, const fs::path& to) {
  AtomicFile out(to);
  out.write(npy_header(rest.info().dtype, rest.info().shape));
  for (size_t row = 0; row < pool.rows(); ++row) {
    if (row % kLook == 0) throw_if_interrupted();
    out.write(std::as_bytes(pool.image(row)));
  }
  out.write(std::as_bytes(next));
  std::vector<std::byte> piece(kPiece);
  for (size_t got; (got = rest.read(piece)) > 0;) {
    throw_if_interrupted();
    out.write(std::span(piece).first(got));
  }
  out.commit();
}

// rows of an array in Fortran order do not lie in one piece: it is read as a whole
bool scattered(const ArrayInfo& info) { return info.fortran_order && info.shape.size() > 1; }

Array read_scattered(const NpzReader& file, const ArrayInfo& info, const RowsOptions& options) {
  if (info.byte_size() > options.memory)
    throw Error(file.path().string(), ": 'observations' is in Fortran order and takes ", bytes_text(info.byte_size()),
                ", too much to be read as a whole; save it with numpy.ascontiguousarray(arr)");
  return file.read("observations");
}

}  // namespace

fs::path unpacked_path(const fs::path& file) {
  fs::path to = file;
  return to.replace_extension(".observations.npy");
}

ObservationRows::ObservationRows(Array rows) {
  ALPS_CHECK(!rows.shape().empty());
  const bool image = rows.dtype() == DType::kUInt8;
  auto impl = std::make_shared<Impl>(rows.shape(), image);
  if (image) {
    impl->pool.emplace(impl->row_size);
    for (size_t i = 0; i < impl->rows; ++i) impl->pool->add(std::as_const(rows).row<uint8_t>(i), ~size_t{0});
    impl->pool->finish();
  } else {
    ALPS_CHECK(rows.dtype() == DType::kFloat32);
    impl->floats = std::move(rows);
  }
  impl_ = std::move(impl);
}

ObservationRows ObservationRows::open(const NpzReader& file, const RowsOptions& options) {
  const ArrayInfo info = file.info("observations");
  if (info.shape.empty() || info.shape[0] == 0) throw Error(file.path().string(), ": 'observations' has no rows");
  ALPS_CHECK(options.only.empty() || options.only.back() < info.shape[0]);
  RowsOptions bounded = options;
  if (bounded.memory == 0) bounded.memory = memory_for_data();
  return ObservationRows(info.dtype == DType::kUInt8 ? open_images(file, info, bounded)
                                                     : open_floats(file, info, bounded));
}

std::shared_ptr<ObservationRows::Impl> ObservationRows::open_floats(const NpzReader& file, const ArrayInfo& info,
                                                                    const RowsOptions& options) {
  auto impl = std::make_shared<Impl>(info.shape, false);
  const bool wide = info.dtype == DType::kFloat64;
  if (!wide && info.dtype != DType::kFloat32)
    throw Error(file.path().string(), ": 'observations' is ", dtype_name(info.dtype),
                "; expected float32, float64, or uint8 images");
  if (!options.only.empty() && !scattered(info)) {
    // one stream, of which the chosen rows stay
    impl->only.assign(options.only.begin(), options.only.end());
    impl->floats = Array(DType::kFloat32, {impl->only.size(), impl->row_size});
    const auto stream = file.stream("observations");
    std::vector<std::byte> row(impl->row_size * item_size(info.dtype));
    size_t at = 0;
    for (size_t i = 0; i < impl->only.size(); ++i) {
      for (; at <= impl->only[i]; ++at) {
        if (at % kLook == 0) throw_if_interrupted();
        stream->read(row);
      }
      const auto out = impl->floats.as<float>().subspan(i * impl->row_size, impl->row_size);
      if (wide)
        std::ranges::copy_n(reinterpret_cast<const double*>(row.data()), static_cast<ptrdiff_t>(out.size()),
                            out.begin());
      else
        std::ranges::copy_n(reinterpret_cast<const float*>(row.data()), static_cast<ptrdiff_t>(out.size()),
                            out.begin());
    }
    return impl;
  }
  if (info.byte_size() > options.memory && !scattered(info)) {
    impl->on_disk = info.compressed ? unpacked_path(file.path()) : file.path();
    impl->file.emplace(RowFile::open_npz(file.path(), "observations", unpacked_path(file.path()), options.disk));
    return impl;
  }
  Array all = scattered(info) ? read_scattered(file, info, options) : file.read("observations");
  if (wide) {
    impl->floats = Array(DType::kFloat32, all.shape());
    std::ranges::copy(std::as_const(all).as<double>(), impl->floats.as<float>().begin());
  } else {
    impl->floats = std::move(all);
  }
  return impl;
}

std::shared_ptr<ObservationRows::Impl> ObservationRows::open_images(const NpzReader& file, const ArrayInfo& info,
                                                                    const RowsOptions& options) {
  auto impl = std::make_shared<Impl>(info.shape, true);
  const fs::path unpacked = unpacked_path(file.path());
  const bool few = !options.only.empty();
  impl->only.assign(options.only.begin(), options.only.end());
  if (!few && info.compressed && info.byte_size() > options.memory)
    if (auto before = RowFile::open_unpacked(file.path(), info, unpacked)) {
      impl->on_disk = unpacked;
      impl->file.emplace(std::move(*before));
      return impl;
    }

  impl->pool.emplace(impl->row_size);
  if (scattered(info)) {
    const Array all = read_scattered(file, info, options);
    for (size_t row = 0, chosen = 0; row < impl->rows; ++row) {
      if (few && (chosen == impl->only.size() || impl->only[chosen] != row)) continue;
      chosen += few;
      impl->pool->add(all.row<uint8_t>(row), ~size_t{0});
    }
    impl->pool->finish();
    return impl;
  }
  const auto stream = file.stream("observations");
  std::vector<uint8_t> image(impl->row_size);
  size_t chosen = 0;
  for (size_t row = 0; row < impl->rows && (!few || chosen < impl->only.size()); ++row) {
    if (row % kLook == 0) throw_if_interrupted();
    if (stream->read(std::as_writable_bytes(std::span(image))) != image.size())
      throw Error(file.path().string(), ": 'observations' ends in row ", row, " of ", impl->rows);
    if (few && impl->only[chosen] != row) continue;
    chosen += few;
    if (impl->pool->add(image, few ? ~size_t{0} : options.memory)) continue;
    // too many: what was read so far goes to disk too, and the stream goes on from here
    if (info.compressed) {
      expect_room_to_unpack(file.path(), info, unpacked, options.disk);
      unpack_rest(*impl->pool, image, *stream, unpacked);
      impl->pool.reset();
      impl->file.emplace(RowFile::open_npy(unpacked));
      impl->on_disk = unpacked;
    } else {
      impl->pool.reset();
      impl->file.emplace(RowFile::open_npz(file.path(), "observations", unpacked));
      impl->on_disk = file.path();
    }
    return impl;
  }
  impl->pool->finish();
  return impl;
}

}  // namespace alps

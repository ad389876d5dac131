#include "alps/data/rows.h"

#include <algorithm>
#include <utility>

#include "alps/base/file.h"
#include "alps/base/interrupt.h"
#include "alps/base/memory.h"
#include "alps/base/npy.h"
#include "alps/data/image_pool.h"

namespace fs = std::filesystem;

namespace alps {

struct ObservationRows::Impl {
  Shape shape;  // of a row
  size_t rows = 0, row_size = 0;
  bool image = false;
  Array floats;  // one of the three
  std::optional<ImagePool> pool;
  std::optional<RowFile> file;
  fs::path on_disk;          // what `file` reads
  std::vector<size_t> only;  // the rows that are held; empty: all

  Impl(const Shape& whole, bool bytes) : shape(whole.begin() + 1, whole.end()), rows(whole[0]), image(bytes) {
    row_size = element_count(shape);
  }
};

namespace {

constexpr size_t kPiece = size_t{1} << 20;  // bytes that are written at once
constexpr size_t kLook = 1024;              // rows between two looks for Ctrl-C

const Shape kNoShape;

void to_float32(std::span<const double> from, std::span<float> to) { std::ranges::copy(from, to.begin()); }

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

ObservationRows ObservationRows::open(const fs::path& file, const RowsOptions& options) {
  return open(NpzReader(file), options);
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
  if (!options.only.empty()) {
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
        to_float32({reinterpret_cast<const double*>(row.data()), out.size()}, out);
      else
        std::ranges::copy_n(reinterpret_cast<const float*>(row.data()), static_cast<ptrdiff_t>(out.size()),
                            out.begin());
    }
    return impl;
  }
  if (info.byte_size() > options.memory) {
    impl->on_disk = info.compressed ? unpacked_path(file.path()) : file.path();
    impl->file.emplace(RowFile::open_npz(file.path(), "observations", unpacked_path(file.path()), options.disk));
    return impl;
  }
  Array all = file.read("observations");
  if (wide) {
    impl->floats = Array(DType::kFloat32, all.shape());
    to_float32(std::as_const(all).as<double>(), impl->floats.as<float>());
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

size_t ObservationRows::rows() const { return impl_ ? impl_->rows : 0; }
const Shape& ObservationRows::shape() const { return impl_ ? impl_->shape : kNoShape; }
size_t ObservationRows::row_size() const { return impl_ ? impl_->row_size : 0; }
bool ObservationRows::image() const { return impl_ && impl_->image; }

ObservationRows::Kept ObservationRows::kept() const {
  if (impl_ && impl_->file) return Kept::kDisk;
  return image() ? Kept::kDistinctImages : Kept::kFloats;
}

size_t ObservationRows::memory() const {
  if (!impl_) return 0;
  return impl_->pool ? impl_->pool->byte_size() : impl_->floats.byte_size();
}

std::string ObservationRows::about() const {
  if (!impl_) return "no observations";
  if (impl_->file) {
    const size_t bytes = impl_->rows * impl_->row_size * item_size(impl_->file->info().dtype);
    return str(bytes_text(bytes), " of ", image() ? "images" : "observations", " on disk, in ",
               impl_->on_disk.string());
  }
  if (!image()) return str(bytes_text(memory()), " of observations in memory");
  return str(bytes_text(memory()), " of images in memory, ", impl_->pool->distinct(), " distinct of ",
             impl_->pool->rows());
}

size_t ObservationRows::slot(size_t row) const {
  ALPS_CHECK(row < rows());
  if (impl_->only.empty()) return row;
  const auto at = std::ranges::lower_bound(impl_->only, row);
  ALPS_CHECK(at != impl_->only.end() && *at == row);
  return static_cast<size_t>(at - impl_->only.begin());
}

std::span<const float> ObservationRows::floats(size_t row, std::vector<float>& buffer) const {
  ALPS_CHECK(impl_ && !impl_->image);
  if (!impl_->file) return impl_->floats.row<float>(slot(row));
  buffer.resize(impl_->row_size);
  read(row, std::span<float>(buffer));
  return buffer;
}

std::span<const uint8_t> ObservationRows::bytes(size_t row, std::vector<uint8_t>& buffer) const {
  ALPS_CHECK(impl_ && impl_->image);
  if (impl_->pool) return impl_->pool->image(slot(row));
  buffer.resize(impl_->row_size);
  read(row, std::span<uint8_t>(buffer));
  return buffer;
}

ObservationCopy ObservationRows::copy(size_t row) const {
  std::vector<float> numbers;
  std::vector<uint8_t> pixels;
  if (image()) return Observation(bytes(row, pixels));
  return Observation(floats(row, numbers));
}

template <>
std::span<const float> ObservationRows::row<float>(size_t row) const {
  ALPS_CHECK(impl_ && !impl_->image && !impl_->file);
  return impl_->floats.row<float>(slot(row));
}

template <>
std::span<const uint8_t> ObservationRows::row<uint8_t>(size_t row) const {
  ALPS_CHECK(impl_ && impl_->pool);
  return impl_->pool->image(slot(row));
}

void ObservationRows::read(size_t first, std::span<float> out) const {
  const size_t size = row_size(), n = out.size() / size;
  ALPS_CHECK(!image() && out.size() == n * size && first + n <= rows());
  if (!impl_->file) {
    for (size_t i = 0; i < n; ++i) std::ranges::copy(impl_->floats.row<float>(slot(first + i)), &out[i * size]);
  } else if (impl_->file->info().dtype == DType::kFloat32) {
    impl_->file->read_rows(first, n, std::as_writable_bytes(out));
  } else {
    std::vector<double> wide(out.size());
    impl_->file->read_rows(first, n, std::as_writable_bytes(std::span(wide)));
    to_float32(wide, out);
  }
}

void ObservationRows::read(size_t first, std::span<uint8_t> out) const {
  const size_t size = row_size(), n = out.size() / size;
  ALPS_CHECK(image() && out.size() == n * size && first + n <= rows());
  if (impl_->file) return impl_->file->read_rows(first, n, std::as_writable_bytes(out));
  for (size_t i = 0; i < n; ++i) std::ranges::copy(impl_->pool->image(slot(first + i)), &out[i * size]);
}

void ObservationRows::read(std::span<const size_t> rows, std::span<float> out) const {
  const size_t size = row_size();
  ALPS_CHECK(out.size() == rows.size() * size);
  for (size_t i = 0; i < rows.size(); ++i) read(rows[i], out.subspan(i * size, size));
}

void ObservationRows::read(std::span<const size_t> rows, std::span<uint8_t> out) const {
  const size_t size = row_size();
  ALPS_CHECK(out.size() == rows.size() * size);
  for (size_t i = 0; i < rows.size(); ++i) read(rows[i], out.subspan(i * size, size));
}

Array ObservationRows::chosen(std::span<const size_t> rows) const {
  Shape whole = {rows.size()};
  whole.insert(whole.end(), shape().begin(), shape().end());
  Array out(image() ? DType::kUInt8 : DType::kFloat32, whole);
  if (image())
    read(rows, out.as<uint8_t>());
  else
    read(rows, out.as<float>());
  return out;
}

Array ObservationRows::all() && {
  ALPS_CHECK(impl_ && impl_->only.empty());
  if (impl_.use_count() == 1 && !impl_->image && !impl_->file)
    return std::move(std::const_pointer_cast<Impl>(std::exchange(impl_, nullptr))->floats);
  Shape whole = {rows()};
  whole.insert(whole.end(), shape().begin(), shape().end());
  Array out(image() ? DType::kUInt8 : DType::kFloat32, whole);
  if (image())
    read(0, out.as<uint8_t>());
  else
    read(0, out.as<float>());
  return out;
}

size_t ObservationRows::distinct() const { return impl_ && impl_->pool ? impl_->pool->distinct() : rows(); }

size_t ObservationRows::distinct_of(size_t row) const { return impl_->pool ? impl_->pool->index(slot(row)) : row; }

std::span<const uint8_t> ObservationRows::distinct_bytes(size_t i, std::vector<uint8_t>& buffer) const {
  return impl_->pool ? impl_->pool->distinct_image(i) : bytes(i, buffer);
}

}  // namespace alps

#include "alps/data/rows.h"

#include <algorithm>
#include <utility>

#include "alps/base/memory.h"
#include "alps/data/rows_impl.h"

namespace alps {
namespace {

const Shape kNoShape;

}  // namespace

size_t ObservationRows::rows() const { return impl_ ? impl_->rows : 0; }
const Shape& ObservationRows::shape() const { return impl_ ? impl_->shape : kNoShape; }
size_t ObservationRows::row_size() const { return impl_ ? impl_->row_size : 0; }
bool ObservationRows::image() const { return impl_ && impl_->image; }

ObservationRows::Kept ObservationRows::kept() const {
  if (impl_ && impl_->file) return Kept::kDisk;
  if (impl_ && std::ranges::any_of(impl_->pieces, [](const auto& p) { return p.kept() == Kept::kDisk; }))
    return Kept::kDisk;
  return image() ? Kept::kDistinctImages : Kept::kFloats;
}

size_t ObservationRows::memory() const {
  if (!impl_) return 0;
  if (!impl_->pieces.empty()) {
    size_t all = 0;
    for (const ObservationRows& piece : impl_->pieces) all += piece.memory();
    return all;
  }
  return impl_->pool ? impl_->pool->byte_size() : impl_->floats.byte_size();
}

std::string ObservationRows::about() const {
  if (!impl_) return "no observations";
  if (!impl_->pieces.empty()) {
    const auto held = std::ranges::count_if(impl_->pieces, [](const auto& p) { return p.kept() != Kept::kDisk; });
    return str(bytes_text(memory()), " of ", image() ? "images" : "observations", " in memory, those of ", held, " of ",
               impl_->pieces.size(), " files; the others on disk");
  }
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
  if (!impl_->pieces.empty()) {
    const auto [piece, at] = impl_->piece_of(row, impl_->first);
    return piece->floats(at, buffer);
  }
  if (!impl_->file) return impl_->floats.row<float>(slot(row));
  buffer.resize(impl_->row_size);
  read(row, std::span<float>(buffer));
  return buffer;
}

std::span<const uint8_t> ObservationRows::bytes(size_t row, std::vector<uint8_t>& buffer) const {
  ALPS_CHECK(impl_ && impl_->image);
  if (!impl_->pieces.empty()) {
    const auto [piece, at] = impl_->piece_of(row, impl_->first);
    return piece->bytes(at, buffer);
  }
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
  if (!impl_->pieces.empty()) {
    const auto [piece, at] = impl_->piece_of(row, impl_->first);
    return piece->row<float>(at);
  }
  return impl_->floats.row<float>(slot(row));
}

template <>
std::span<const uint8_t> ObservationRows::row<uint8_t>(size_t row) const {
  ALPS_CHECK(impl_);
  if (!impl_->pieces.empty()) {
    const auto [piece, at] = impl_->piece_of(row, impl_->first);
    return piece->row<uint8_t>(at);
  }
  ALPS_CHECK(impl_->pool);
  return impl_->pool->image(slot(row));
}

template <class T>
void ObservationRows::read_pieces(size_t first, std::span<T> out) const {
  while (!out.empty()) {
    const auto [piece, at] = impl_->piece_of(first, impl_->first);
    const size_t n = std::min(piece->rows() - at, out.size() / row_size());
    piece->read(at, out.first(n * row_size()));
    first += n;
    out = out.subspan(n * row_size());
  }
}

void ObservationRows::read(size_t first, std::span<float> out) const {
  const size_t size = row_size(), n = out.size() / size;
  ALPS_CHECK(!image() && out.size() == n * size && first + n <= rows());
  if (!impl_->pieces.empty()) return read_pieces(first, out);
  if (!impl_->file) {
    for (size_t i = 0; i < n; ++i) std::ranges::copy(impl_->floats.row<float>(slot(first + i)), &out[i * size]);
  } else if (impl_->file->info().dtype == DType::kFloat32) {
    impl_->file->read_rows(first, n, std::as_writable_bytes(out));
  } else {
    std::vector<double> wide(out.size());
    impl_->file->read_rows(first, n, std::as_writable_bytes(std::span(wide)));
    std::ranges::copy(wide, out.begin());
  }
}

void ObservationRows::read(size_t first, std::span<uint8_t> out) const {
  const size_t size = row_size(), n = out.size() / size;
  ALPS_CHECK(image() && out.size() == n * size && first + n <= rows());
  if (!impl_->pieces.empty()) return read_pieces(first, out);
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
  if (impl_.use_count() == 1 && !impl_->image && !impl_->file && impl_->pieces.empty())
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

size_t ObservationRows::distinct() const {
  if (impl_ && !impl_->pieces.empty()) return impl_->first_distinct.back();
  return impl_ && impl_->pool ? impl_->pool->distinct() : rows();
}

size_t ObservationRows::distinct_of(size_t row) const {
  if (!impl_->pieces.empty()) {
    const auto [piece, at] = impl_->piece_of(row, impl_->first);
    return impl_->first_distinct[static_cast<size_t>(piece - impl_->pieces.data())] + piece->distinct_of(at);
  }
  return impl_->pool ? impl_->pool->index(slot(row)) : row;
}

std::span<const uint8_t> ObservationRows::distinct_bytes(size_t i, std::vector<uint8_t>& buffer) const {
  if (!impl_->pieces.empty()) {
    const auto [piece, at] = impl_->piece_of(i, impl_->first_distinct);
    return piece->distinct_bytes(at, buffer);
  }
  return impl_->pool ? impl_->pool->distinct_image(i) : bytes(i, buffer);
}

}  // namespace alps

#include <unistd.h>

#include <algorithm>

#include "alps/base/file.h"
#include "alps/base/interrupt.h"
#include "alps/base/memory.h"
#include "alps/base/npz_archive.h"

namespace fs = std::filesystem;

namespace alps {

struct RowFile::Impl {
  std::shared_ptr<const InputFile> file;
  ArrayInfo info;
  uint64_t data_offset = 0;
  size_t rows = 0, row_bytes = 0;

  Impl(std::shared_ptr<const InputFile> source, const ArrayInfo& array, uint64_t offset, const std::string& where)
      : file(std::move(source)), info(array), data_offset(offset) {
    if (info.fortran_order && info.shape.size() > 1)
      throw Error(where, " is in Fortran order, where rows are not in one piece; ",
                  "save it with numpy.ascontiguousarray(arr)");
    rows = info.shape.empty() ? 1 : info.shape[0];
    row_bytes = rows == 0 ? 0 : info.byte_size() / rows;
  }
};

namespace {

// a write time in the future or in doubt only costs another unpacking
bool newer(const fs::path& a, const fs::path& b) {
  std::error_code failed_a, failed_b;
  const auto time_a = fs::last_write_time(a, failed_a), time_b = fs::last_write_time(b, failed_b);
  return !failed_a && !failed_b && time_a > time_b;
}

void unpack(MemberArray& array, const fs::path& to) {
  AtomicFile out(to);
  out.write(npy_header(array.info().dtype, array.info().shape));
  std::vector<std::byte> piece(1 << 20);
  for (size_t left = array.info().byte_size(); left > 0; left -= piece.size()) {
    throw_if_interrupted();
    piece.resize(std::min(piece.size(), left));
    array.read(piece);
    out.write(piece);
  }
  array.finish();
  out.commit();
}

}  // namespace

RowFile::RowFile() = default;
RowFile::~RowFile() = default;
RowFile::RowFile(RowFile&&) noexcept = default;

RowFile RowFile::open_npy(const fs::path& path) {
  auto file = std::make_shared<InputFile>(path);
  const NpyHeader header = read_npy_header(front_to_back(*file), file->size(), path.string());
  if (header.half)
    throw Error(path.string(), " is float16, which cannot be read row by row; save it with arr.astype(\"<f4\")");
  RowFile rows;
  rows.impl_ = std::make_unique<Impl>(file, header.info, header.size, path.string());
  return rows;
}

void expect_room_to_unpack(const fs::path& source, const ArrayInfo& array, const fs::path& unpack_to,
                           std::optional<uintmax_t> disk) {
  const fs::path folder = unpack_to.has_parent_path() ? unpack_to.parent_path() : fs::path(".");
  const std::string remedy =
      str("save it with numpy.savez instead of savez_compressed, which is read in place, or copy ",
          "it to a disk with room");
  if (access(folder.c_str(), W_OK) != 0)
    throw Error(source.string(), ": has to be unpacked for reading at random, but ", folder.string(),
                " cannot be written to; ", remedy);
  std::error_code failed;
  const uintmax_t free = disk ? *disk : fs::space(folder, failed).available;
  if (!failed && free < array.byte_size())
    throw Error(source.string(), ": has to be unpacked for reading at random, which takes ",
                bytes_text(array.byte_size()), " in ", folder.string(), ", where ", bytes_text(free),
                " are free; make room, ", remedy);
}

std::optional<RowFile> RowFile::open_unpacked(const fs::path& source, const ArrayInfo& array,
                                              const fs::path& unpacked) {
  if (!newer(unpacked, source)) return std::nullopt;
  try {
    RowFile rows = open_npy(unpacked);
    if (rows.info().dtype == array.dtype && rows.info().shape == array.shape) return rows;
  } catch (const Error&) {  // it is damaged or something else: unpack again
  }
  return std::nullopt;
}

RowFile RowFile::open_npz(const fs::path& path, const std::string& key, const fs::path& unpack_to,
                          std::optional<uintmax_t> disk) {
  const NpzArchive archive(path);
  MemberArray array(archive, key);
  if (array.in_place()) {
    RowFile rows;
    rows.impl_ = std::make_unique<Impl>(archive.file(), array.info(), array.data_offset(), array.where());
    return rows;
  }
  if (array.info().fortran_order && array.info().shape.size() > 1)
    throw Error(array.where(), " is in Fortran order and cannot be unpacked in pieces; ",
                "save it with numpy.ascontiguousarray(arr)");

  // an unpacked file from before serves if it can still be the same array
  if (auto before = open_unpacked(path, array.info(), unpack_to)) return std::move(*before);
  expect_room_to_unpack(path, array.info(), unpack_to, disk);
  unpack(array, unpack_to);
  return open_npy(unpack_to);
}

const ArrayInfo& RowFile::info() const { return impl_->info; }

void RowFile::read_rows(size_t first, size_t count, std::span<std::byte> out) const {
  ALPS_CHECK(first <= impl_->rows && count <= impl_->rows - first && out.size() == count * impl_->row_bytes);
  impl_->file->read_at(impl_->data_offset + first * impl_->row_bytes, out);
  normalize_bools(impl_->info.dtype, out);
}

}  // namespace alps

#include <zlib.h>

#include <algorithm>
#include <cstdio>

#include "alps/base/npz_archive.h"
#include "alps/base/threads.h"

namespace alps {

namespace {

class MemberArrayStream : public ArrayStream {
 public:
  MemberArrayStream(const NpzArchive& archive, const std::string& key)
      : array_(archive, key), left_(array_.info().byte_size()) {
    if (array_.info().fortran_order && array_.info().shape.size() > 1)
      throw Error(array_.where(), " is in Fortran order and cannot be read in pieces; ",
                  "save it with numpy.ascontiguousarray(arr)");
  }

  const ArrayInfo& info() const override { return array_.info(); }

  size_t read(std::span<std::byte> out) override {
    const auto piece = out.first(std::min(out.size(), left_));
    if (array_.half())
      read_floats(piece);
    else
      array_.read(piece);
    left_ -= piece.size();
    // verified with the last byte: a caller who knows the size need not come again
    if (left_ == 0 && !verified_) {
      array_.finish();
      verified_ = true;
    }
    return piece.size();
  }

 private:
  // whole numbers only can be read; what the caller has no room for waits for the next call
  void read_floats(std::span<std::byte> piece) {
    const size_t waiting = std::min(rest_.size(), piece.size());
    std::copy_n(rest_.begin(), waiting, piece.begin());
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(waiting));
    piece = piece.subspan(waiting);
    const size_t whole = piece.size() / sizeof(float) * sizeof(float);
    array_.read(piece.first(whole));
    piece = piece.subspan(whole);
    if (piece.empty()) return;
    rest_.resize(sizeof(float));
    array_.read(rest_);
    read_floats(piece);
  }

  MemberArray array_;
  std::vector<std::byte> rest_;  // of a number that was given out in part
  size_t left_;
  bool verified_ = false;
};

}  // namespace

struct NpzReader::Impl {
  NpzArchive archive;
};

NpzReader::NpzReader(std::filesystem::path path) : impl_(new Impl{NpzArchive(std::move(path))}) {}
NpzReader::~NpzReader() = default;
NpzReader::NpzReader(NpzReader&&) noexcept = default;

const std::filesystem::path& NpzReader::path() const { return impl_->archive.file()->path(); }

std::vector<std::string> NpzReader::keys() const { return impl_->archive.keys(); }

bool NpzReader::has(const std::string& key) const { return impl_->archive.find(key) != nullptr; }

ArrayInfo NpzReader::info(const std::string& key) const { return MemberArray(impl_->archive, key).info(); }

Array NpzReader::read(const std::string& key) const { return MemberArray(impl_->archive, key).read_all(); }

std::vector<Array> NpzReader::read(std::span<const std::string> keys, int threads) const {
  std::vector<Array> arrays(keys.size());
  parallel_for(keys.size(), threads, [&](size_t i) { arrays[i] = read(keys[i]); });
  return arrays;
}

std::string NpzReader::contents_crc32() const {
  std::vector<std::string> keys = this->keys();
  std::sort(keys.begin(), keys.end());
  uLong crc = 0;
  for (const std::string& key : keys) {
    const ZipMember& member = impl_->archive.member(key);
    const std::string line = str(key, " ", member.size, " ", member.crc, "\n");
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(line.data()), line.size());
  }
  char text[16];
  std::snprintf(text, sizeof text, "%08lx", crc);
  return text;
}

std::unique_ptr<ArrayStream> NpzReader::stream(const std::string& key) const {
  return std::make_unique<MemberArrayStream>(impl_->archive, key);
}

}  // namespace alps

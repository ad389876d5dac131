#include "alps/base/member_stream.h"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <array>

#include "alps/base/error.h"

namespace alps {

namespace {

// small enough that the checksum finds the bytes in the cache, large enough that calls do not count
constexpr size_t kPiece = 256 << 10;

}  // namespace

struct MemberStream::Inflater {
  z_stream z = {};
  std::vector<std::byte> input = std::vector<std::byte>(kPiece);
  bool ended = false;

  Inflater() {
    // negative: no zlib header, as ZIP wants it
    if (inflateInit2(&z, -15) != Z_OK) throw Error("zlib cannot start: out of memory");
  }
  ~Inflater() { inflateEnd(&z); }
};

MemberStream::MemberStream(std::shared_ptr<const InputFile> file, ZipMember member, std::string where)
    : file_(std::move(file)), member_(std::move(member)), where_(std::move(where)) {
  if (member_.deflated) zlib_ = std::make_unique<Inflater>();
}

MemberStream::~MemberStream() = default;

void MemberStream::damaged(const char* how) const {
  throw Error(where_, " is damaged: ", how, "; save or fetch the file again");
}

void MemberStream::read(std::span<std::byte> out) {
  ALPS_CHECK(out.size() <= member_.size - given_);
  while (!out.empty()) {
    const auto piece = out.first(std::min(out.size(), kPiece));
    if (zlib_)
      read_deflated(piece);
    else
      file_->read_at(member_.data_offset + given_, piece);
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
    given_ += piece.size();
    out = out.subspan(piece.size());
  }
}

void MemberStream::read_deflated(std::span<std::byte> out) {
  z_stream& z = zlib_->z;
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  while (z.avail_out > 0) {
    if (zlib_->ended) damaged("it holds fewer bytes than the directory says");
    if (z.avail_in == 0) fill_input();
    const int code = inflate(&z, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw Error(where_, " cannot be inflated: out of memory");
    // with no input left, Z_BUF_ERROR says that more was needed
    if (code != Z_OK && code != Z_STREAM_END) damaged("its compressed data is broken");
    zlib_->ended = code == Z_STREAM_END;
  }
}

void MemberStream::fill_input() {
  const size_t size = std::min<uint64_t>(kPiece, member_.compressed_size - taken_);
  file_->read_at(member_.data_offset + taken_, std::span(zlib_->input).first(size));
  taken_ += size;
  zlib_->z.next_in = reinterpret_cast<const Bytef*>(zlib_->input.data());
  zlib_->z.avail_in = static_cast<uInt>(size);
}

void MemberStream::finish() {
  ALPS_CHECK(given_ == member_.size);
  // the mark of the end may still be unread; nothing else may be
  for (std::array<Bytef, 1> surplus; zlib_ && !zlib_->ended;) {
    z_stream& z = zlib_->z;
    z.next_out = surplus.data();
    z.avail_out = 1;
    if (z.avail_in == 0) fill_input();
    const int code = inflate(&z, Z_NO_FLUSH);
    if (z.avail_out == 0) damaged("it holds more bytes than the directory says");
    if (code != Z_OK && code != Z_STREAM_END) damaged("its compressed data is broken");
    zlib_->ended = code == Z_STREAM_END;
  }
  if (zlib_ && (zlib_->z.avail_in > 0 || taken_ < member_.compressed_size)) damaged("there is data behind its end");
  if (crc_ != member_.crc) damaged("its checksum does not match");
}

}  // namespace alps

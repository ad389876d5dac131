// NpzWriter. A deflated member is cut into blocks of fixed size that are deflated side by side, each with the 32 KiB
// before it as its dictionary, so that little compression is lost; all but the last end on a byte boundary (a sync
// flush), so that together they are one deflate stream (the scheme of pigz, Mark Adler). Checksums of the blocks are
// combined. What comes out depends on the bytes and the level only.
#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "alps/base/file.h"
#include "alps/base/npy.h"
#include "alps/base/threads.h"
#include "alps/base/zip.h"

namespace alps {

namespace {

constexpr size_t kBlock = 1 << 20;
constexpr size_t kDictionary = 32 << 10;  // deflate looks no further back

struct Block {
  std::vector<std::byte> deflated;
  uint32_t crc;
  size_t size;
};

const Bytef* zlib_bytes(std::span<const std::byte> bytes) { return reinterpret_cast<const Bytef*>(bytes.data()); }

Block deflate_block(std::span<const std::byte> dictionary, std::span<const std::byte> bytes, int level, bool last) {
  z_stream z = {};
  if (deflateInit2(&z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("zlib cannot start: out of memory");
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> guard(&z, deflateEnd);
  if (!dictionary.empty()) deflateSetDictionary(&z, zlib_bytes(dictionary), static_cast<uInt>(dictionary.size()));

  // the bound is for a finished stream; a sync flush may take a few bytes more
  Block block = {std::vector<std::byte>(deflateBound(&z, bytes.size()) + 16), 0, bytes.size()};
  z.next_in = zlib_bytes(bytes);
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(block.deflated.data());
  z.avail_out = static_cast<uInt>(block.deflated.size());
  const int code = deflate(&z, last ? Z_FINISH : Z_SYNC_FLUSH);
  ALPS_CHECK(code == (last ? Z_STREAM_END : Z_OK) && z.avail_in == 0 && z.avail_out > 0);
  block.deflated.resize(z.total_out);
  block.crc = crc32_z(0, zlib_bytes(bytes), bytes.size());
  return block;
}

}  // namespace

struct NpzWriter::Impl {
  std::filesystem::path path;
  NpzOptions options;
  AtomicFile file;
  uint64_t position = 0;  // bytes of the file so far
  std::vector<ZipMember> members;
  std::unordered_set<std::string> keys;
  bool finished = false;

  // the member being written is members.back()
  bool open = false;
  uint64_t left = 0;               // bytes it still lacks
  std::vector<std::byte> pending;  // the dictionary of the next block, then bytes to deflate
  size_t dictionary = 0;           // size of the former
  size_t batch = 0;                // how many bytes to deflate at a time

  Impl(std::filesystem::path target, NpzOptions wanted) : path(target), options(wanted), file(std::move(target)) {
    if (options.threads <= 0) options.threads = default_threads();
    batch = 2 * kBlock * static_cast<size_t>(options.threads);
    if (options.level < 0 || options.level > 9)
      throw Error("cannot write ", path.string(), ": the compression level is ", options.level, ", not 0 to 9");
  }

  std::string where() const { return path.string() + ": " + quote_name(members.back().name); }

  void write(std::span<const std::byte> bytes) {
    file.write(bytes);
    position += bytes.size();
  }
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  void begin(const std::string& key, std::string_view header, uint64_t array_size) {
    if (!keys.insert(key).second) throw Error(path.string(), ": the key ", quote_name(key), " is written twice");
    if (key.size() > std::numeric_limits<uint16_t>::max() - 4) throw Error(path.string(), ": a key is too long");
    members.push_back({key + ".npy", options.level > 0, 0, 0, header.size() + array_size, position, 0});
    write(zip_local_header(members.back()));
    open = true;
    left = members.back().size;
    pending.clear();
    dictionary = 0;
    append(std::as_bytes(std::span(header)));
  }

  void append(std::span<const std::byte> bytes) {
    if (bytes.size() > left) throw Error(where(), " is given more bytes than its shape has");
    left -= bytes.size();
    if (members.back().deflated)
      append_deflated(bytes);
    else
      append_stored(bytes);
  }

  void append_stored(std::span<const std::byte> bytes) {
    ZipMember& member = members.back();
    member.crc = crc32_z(member.crc, zlib_bytes(bytes), bytes.size());
    member.compressed_size += bytes.size();
    write(bytes);
  }

  // gathers a batch, two blocks per thread: memory stays bounded and no thread waits long for the others
  void append_deflated(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const size_t room = dictionary + batch - pending.size();
      const auto piece = bytes.first(std::min(bytes.size(), room));
      pending.insert(pending.end(), piece.begin(), piece.end());
      bytes = bytes.subspan(piece.size());
      const bool last = left == 0 && bytes.empty();
      if (piece.size() == room || last) deflate_pending(last);
    }
  }

  void deflate_pending(bool last) {
    const size_t count = (pending.size() - dictionary + kBlock - 1) / kBlock;
    std::vector<Block> blocks(count);
    parallel_for(count, options.threads, [&](size_t i) {
      const size_t begin = dictionary + i * kBlock, end = std::min(pending.size(), begin + kBlock);
      const size_t before = std::min(begin, kDictionary);
      const std::span all(pending);
      blocks[i] = deflate_block(all.subspan(begin - before, before), all.subspan(begin, end - begin), options.level,
                                last && i + 1 == count);
    });

    ZipMember& member = members.back();
    for (const Block& block : blocks) {
      member.crc = crc32_combine(member.crc, block.crc, static_cast<z_off_t>(block.size));
      member.compressed_size += block.deflated.size();
      write(block.deflated);
    }
    // the tail is the dictionary of the block to come
    dictionary = std::min(pending.size(), kDictionary);
    pending.erase(pending.begin(), pending.end() - static_cast<ptrdiff_t>(dictionary));
  }

  void end() {
    if (!open) return;
    if (left > 0) throw Error(where(), " lacks ", left, " of the bytes that its shape has");
    // sizes and checksum are known now
    const std::string header = zip_local_header(members.back());
    file.write_at(members.back().header_offset, std::as_bytes(std::span(header)));
    open = false;
  }
};

size_t deflated_size(std::span<const std::byte> bytes, int level) {
  return deflate_block({}, bytes, level, true).deflated.size();
}

NpzWriter::NpzWriter(std::filesystem::path path, NpzOptions options)
    : impl_(std::make_unique<Impl>(std::move(path), options)) {}
NpzWriter::~NpzWriter() = default;

void NpzWriter::add(const std::string& key, const Array& array) {
  begin(key, array.dtype(), array.shape());
  append(array.bytes());
}

void NpzWriter::begin(const std::string& key, DType dtype, const Shape& shape) {
  ALPS_CHECK(!impl_->finished);
  impl_->end();
  impl_->begin(key, npy_header(dtype, shape), element_count(shape) * item_size(dtype));
}

void NpzWriter::append(std::span<const std::byte> bytes) {
  ALPS_CHECK(impl_->open);
  impl_->append(bytes);
}

void NpzWriter::finish() {
  ALPS_CHECK(!impl_->finished);
  impl_->end();
  impl_->write(zip_directory(impl_->members, impl_->position));
  impl_->file.commit();
  impl_->finished = true;
}

}  // namespace alps

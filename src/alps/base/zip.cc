// The directory of an archive, read and written. The field names are those of APPNOTE.TXT.
#include "alps/base/zip.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "alps/base/error.h"

namespace alps {

namespace {

constexpr uint32_t kLocalSignature = 0x04034b50, kEntrySignature = 0x02014b50, kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50, kLocatorSignature = 0x07064b50;
constexpr size_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20;
constexpr uint32_t kFull32 = 0xffffffff;  // "the value stands in the ZIP64 field"
constexpr uint16_t kFull16 = 0xffff, kZip64Id = 1, kStored = 0, kDeflated = 8, kEncryptedFlag = 1, kUtf8Flag = 1 << 11;
constexpr uint64_t kMaxInflation = 1032;  // 258 bytes for two bits is the most that deflate can do

[[noreturn]] void damaged(const InputFile& file, std::string_view how) {
  throw Error(file.path().string(), " is damaged: ", how, "; save or fetch it again");
}

// little-endian fields, one after the other
class Fields {
 public:
  Fields(const InputFile& file, std::span<const std::byte> bytes) : file_(file), rest_(bytes) {}

  std::span<const std::byte> take(size_t size) {
    if (size > rest_.size()) damaged(file_, "a record of its directory is cut short");
    const auto head = rest_.first(size);
    rest_ = rest_.subspan(size);
    return head;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text(size_t size) {
    const auto bytes = take(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  bool empty() const { return rest_.empty(); }

 private:
  const InputFile& file_;
  std::span<const std::byte> rest_;
};

std::vector<std::byte> read_bytes(const InputFile& file, uint64_t offset, size_t size) {
  if (offset > file.size() || size > file.size() - offset) damaged(file, "an offset points past its end");
  std::vector<std::byte> bytes(size);
  file.read_at(offset, bytes);
  return bytes;
}

struct Directory {
  uint64_t offset, size, entries;
};

// the ZIP64 end record, if a locator stands in front of the end record at `end`; it then replaces that record
bool find_directory64(const InputFile& file, uint64_t end, Directory& directory) {
  if (end < kLocatorSize) return false;
  const auto locator_bytes = read_bytes(file, end - kLocatorSize, kLocatorSize);
  Fields locator(file, locator_bytes);
  if (locator.number<uint32_t>() != kLocatorSignature) return false;
  locator.take(4);  // disk
  const auto offset = locator.number<uint64_t>();

  const auto record_bytes = read_bytes(file, offset, kEnd64Size);
  Fields record(file, record_bytes);
  if (record.number<uint32_t>() != kEnd64Signature) damaged(file, "its ZIP64 end record is missing");
  record.take(8 + 2 + 2 + 4 + 4 + 8);  // size, versions, disks, entries on this disk
  directory.entries = record.number<uint64_t>();
  directory.size = record.number<uint64_t>();
  directory.offset = record.number<uint64_t>();
  return true;
}

Directory find_directory(const InputFile& file) {
  // the end record is the last thing in the file but for a comment of up to 65535 bytes, whose length it holds
  const size_t tail_size = std::min<uint64_t>(file.size(), kEndSize + kFull16);
  const auto tail = read_bytes(file, file.size() - tail_size, tail_size);
  for (size_t at = tail_size < kEndSize ? 0 : tail_size - kEndSize + 1; at-- > 0;) {
    Fields end(file, std::span(tail).subspan(at));
    if (end.number<uint32_t>() != kEndSignature) continue;
    const auto disk = end.number<uint16_t>(), directory_disk = end.number<uint16_t>();
    end.take(2);  // entries on this disk
    const uint64_t entries = end.number<uint16_t>();
    const uint64_t size = end.number<uint32_t>(), offset = end.number<uint32_t>();
    const size_t comment_size = end.number<uint16_t>();
    if (at + kEndSize + comment_size != tail_size) continue;

    Directory directory = {offset, size, entries};
    const uint64_t position = file.size() - tail_size + at;
    const bool zip64 = find_directory64(file, position, directory);
    if (!zip64 && (disk != 0 || directory_disk != 0)) damaged(file, "it is one part of a divided archive");
    if (directory.size > position || directory.offset > position - directory.size)
      damaged(file, "its directory does not lie inside it");
    return directory;
  }
  throw Error(file.path().string(), " is not an .npz file, or is cut short: there is no ZIP directory at its end; ",
              "fetch it again or write it with numpy.savez");
}

// a size or offset that did not fit in 32 bits, from the ZIP64 extra field
void read_zip64_extra(const InputFile& file, std::span<const std::byte> bytes, ZipMember& member) {
  bool found = false;
  for (Fields extra(file, bytes); !extra.empty() && !found;) {
    const auto id = extra.number<uint16_t>();
    Fields field(file, extra.take(extra.number<uint16_t>()));
    if (id != kZip64Id) continue;
    // only the values that are missing are there, in this order
    for (uint64_t* value : {&member.size, &member.compressed_size, &member.header_offset})
      if (*value == kFull32) *value = field.number<uint64_t>();
    found = true;
  }
  if (!found) damaged(file, "a ZIP64 field is missing");
}

ZipMember read_entry(const InputFile& file, Fields& fields) {
  if (fields.number<uint32_t>() != kEntrySignature) damaged(file, "its directory holds something else");
  fields.take(2 + 2);  // versions
  const auto flags = fields.number<uint16_t>(), method = fields.number<uint16_t>();
  fields.take(2 + 2);  // time, date
  ZipMember member;
  member.crc = fields.number<uint32_t>();
  member.compressed_size = fields.number<uint32_t>();
  member.size = fields.number<uint32_t>();
  const auto name_size = fields.number<uint16_t>(), extra_size = fields.number<uint16_t>();
  const auto comment_size = fields.number<uint16_t>();
  fields.take(2 + 2 + 4);  // disk, attributes
  member.header_offset = fields.number<uint32_t>();
  member.name = fields.text(name_size);
  const auto extra = fields.take(extra_size);
  fields.take(comment_size);
  if (member.size == kFull32 || member.compressed_size == kFull32 || member.header_offset == kFull32)
    read_zip64_extra(file, extra, member);

  const std::string where = file.path().string() + ": " + quote_name(member.name);
  if (flags & kEncryptedFlag) throw Error(where, " is encrypted; save it without a password");
  if (method != kStored && method != kDeflated)
    throw Error(where, " is compressed by method ", method, "; save it with numpy.savez or numpy.savez_compressed");
  member.deflated = method == kDeflated;
  const bool possible =
      member.deflated ? member.size / kMaxInflation <= member.compressed_size : member.size == member.compressed_size;
  if (!possible) throw Error(where, " claims more bytes than its data can hold; the file is damaged, fetch it again");
  return member;
}

// the local header repeats the directory; it is read for its own length and to see that it is there
void locate_data(const InputFile& file, uint64_t directory_offset, ZipMember& member) {
  const auto bytes = read_bytes(file, member.header_offset, kLocalSize);
  Fields header(file, bytes);
  if (header.number<uint32_t>() != kLocalSignature)
    damaged(file, quote_name(member.name) + " is not where it should be");
  header.take(2 + 2 + 2 + 2 + 2 + 4 + 4 + 4);  // version, flags, method, time, date, checksum, sizes
  const uint64_t name_size = header.number<uint16_t>(), extra_size = header.number<uint16_t>();
  const auto name_bytes = read_bytes(file, member.header_offset + kLocalSize, name_size);
  if (Fields(file, name_bytes).text(name_size) != member.name)
    damaged(file, quote_name(member.name) + " has two names");

  member.data_offset = member.header_offset + kLocalSize + name_size + extra_size;
  if (member.data_offset > directory_offset || member.compressed_size > directory_offset - member.data_offset)
    damaged(file, quote_name(member.name) + " reaches past its end");
}

void refuse_overlaps(const InputFile& file, std::span<const ZipMember> members) {
  std::vector<const ZipMember*> sorted;
  for (const ZipMember& member : members) sorted.push_back(&member);
  std::ranges::sort(sorted, {}, &ZipMember::header_offset);
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1]->data_offset + sorted[i - 1]->compressed_size > sorted[i]->header_offset)
      damaged(file, quote_name(sorted[i - 1]->name) + " and " + quote_name(sorted[i]->name) + " overlap");
}

template <class... Values>
void put(std::string& out, const Values&... values) {
  (out.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
}

// version, flags, method, time and date, which local headers and directory entries have in common
void put_common(std::string& out, const ZipMember& member) {
  const bool ascii = std::ranges::all_of(member.name, [](char c) { return static_cast<unsigned char>(c) < 128; });
  const uint16_t version = 45, flags = ascii ? 0 : kUtf8Flag, method = member.deflated ? kDeflated : kStored;
  const uint16_t time = 0, date = (1 << 5) | 1;  // 1980-01-01: the same arrays give the same file
  put(out, version, flags, method, time, date, member.crc);
}

void put_entry(std::string& out, const ZipMember& member) {
  // the values that need 64 bits go to the extra field
  std::string extra;
  const auto narrow = [&](uint64_t value) {
    if (value >= kFull32) put(extra, value);
    return static_cast<uint32_t>(std::min<uint64_t>(value, kFull32));
  };
  const uint32_t size = narrow(member.size), compressed_size = narrow(member.compressed_size);
  const uint32_t offset = narrow(member.header_offset);
  if (!extra.empty()) {
    std::string head;
    put(head, kZip64Id, static_cast<uint16_t>(extra.size()));
    extra = head + extra;
  }

  const uint16_t made_by = (3 << 8) | 45, disk = 0, internal = 0, comment_size = 0;  // Unix, version 4.5
  const uint32_t mode = 0100644u << 16;
  put(out, kEntrySignature, made_by);
  put_common(out, member);
  put(out, compressed_size, size, static_cast<uint16_t>(member.name.size()), static_cast<uint16_t>(extra.size()),
      comment_size, disk, internal, mode, offset);
  out += member.name + extra;
}

}  // namespace

std::string quote_name(std::string_view name) {
  constexpr size_t kShown = 60;
  std::string text = "'";
  for (const char c : name.substr(0, kShown)) text += c == 127 || static_cast<unsigned char>(c) < 32 ? '?' : c;
  return text + (name.size() > kShown ? "...'" : "'");
}

std::vector<ZipMember> read_zip_directory(const InputFile& file) {
  const Directory directory = find_directory(file);
  if (directory.entries > directory.size / kEntrySize) damaged(file, "its directory is too small for its members");
  const auto bytes = read_bytes(file, directory.offset, directory.size);
  std::vector<ZipMember> members;
  std::unordered_set<std::string> names;
  for (Fields fields(file, bytes); !fields.empty();) {
    members.push_back(read_entry(file, fields));
    locate_data(file, directory.offset, members.back());
    if (!names.insert(members.back().name).second)
      damaged(file, "it holds " + quote_name(members.back().name) + " twice");
  }
  if (members.size() != directory.entries) damaged(file, "its directory does not have as many members as it says");
  refuse_overlaps(file, members);
  return members;
}

// always with the ZIP64 field, as NumPy writes it: sizes are not known before the member is written
std::string zip_local_header(const ZipMember& member) {
  const uint16_t extra_size = 16;
  std::string out;
  put(out, kLocalSignature);
  put_common(out, member);
  put(out, kFull32, kFull32, static_cast<uint16_t>(member.name.size()), static_cast<uint16_t>(4 + extra_size));
  out += member.name;
  put(out, kZip64Id, extra_size, member.size, member.compressed_size);
  return out;
}

std::string zip_directory(std::span<const ZipMember> members, uint64_t offset) {
  std::string out;
  for (const ZipMember& member : members) put_entry(out, member);
  const uint64_t entries = members.size(), size = out.size(), end = offset + size;
  const uint32_t none = 0;
  if (entries >= kFull16 || size >= kFull32 || offset >= kFull32) {
    const uint64_t record_size = kEnd64Size - 12;  // of what follows this field
    const uint16_t version = 45;
    const uint32_t disks = 1;
    put(out, kEnd64Signature, record_size, version, version, none, none, entries, entries, size, offset);
    put(out, kLocatorSignature, none, end, disks);
  }
  const uint16_t disk = 0, comment_size = 0;
  const auto entries16 = static_cast<uint16_t>(std::min<uint64_t>(entries, kFull16));
  put(out, kEndSignature, disk, disk, entries16, entries16, static_cast<uint32_t>(std::min<uint64_t>(size, kFull32)),
      static_cast<uint32_t>(std::min<uint64_t>(offset, kFull32)), comment_size);
  return out;
}

}  // namespace alps

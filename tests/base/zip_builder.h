// Builds archives for tests, among them ones that no honest program writes: every field can be made to lie.
#pragma once

#include <zlib.h>

#include <string>
#include <vector>

#include "alps/base/error.h"
#include "alps/base/zip.h"

namespace alps {

// one finished raw deflate stream
inline std::string raw_deflate(const std::string& text, int level = 9) {
  z_stream z = {};
  ALPS_CHECK(deflateInit2(&z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&z, text.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  ALPS_CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

struct Part {
  ZipMember member;
  std::string data;  // as it stands in the archive
};

// an honest part; its member may then be changed
inline Part make_part(const std::string& name, const std::string& content, bool deflated = true) {
  Part part;
  part.data = deflated ? raw_deflate(content) : content;
  part.member.name = name;
  part.member.deflated = deflated;
  part.member.crc = static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  part.member.size = content.size();
  part.member.compressed_size = part.data.size();
  return part;
}

// offsets are set to where the parts are
inline std::string build_zip(const std::vector<Part>& parts) {
  std::string out;
  std::vector<ZipMember> members;
  for (const Part& part : parts) {
    members.push_back(part.member);
    members.back().header_offset = out.size();
    out += zip_local_header(part.member) + part.data;
  }
  return out + zip_directory(members, out.size());
}

// the same with every size and offset in ZIP64 fields, and a ZIP64 end record
inline std::string build_zip64(const std::vector<Part>& parts) {
  std::string out, directory;
  const auto put = [](std::string& to, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) to += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
  };
  constexpr uint64_t kFull = 0xffffffff;
  for (const Part& part : parts) {
    const ZipMember& member = part.member;
    put(directory, 0x02014b50, 4), put(directory, 45, 2), put(directory, 45, 2), put(directory, 0, 2);
    put(directory, member.deflated ? 8 : 0, 2), put(directory, 0, 2), put(directory, 33, 2);
    put(directory, member.crc, 4), put(directory, kFull, 4), put(directory, kFull, 4);
    put(directory, member.name.size(), 2), put(directory, 4 + 2 + 4 + 24, 2);
    put(directory, 0, 2 + 2 + 2 + 4), put(directory, kFull, 4);
    directory += member.name;
    put(directory, 0x5455, 2), put(directory, 2, 2), put(directory, 0, 2);  // some other program's field
    put(directory, 1, 2), put(directory, 24, 2);
    put(directory, member.size, 8), put(directory, member.compressed_size, 8), put(directory, out.size(), 8);
    out += zip_local_header(member) + part.data;
  }
  const size_t offset = out.size(), end = offset + directory.size();
  out += directory;
  put(out, 0x06064b50, 4), put(out, 44, 8), put(out, 45, 2), put(out, 45, 2), put(out, 0, 8);
  put(out, parts.size(), 8), put(out, parts.size(), 8), put(out, directory.size(), 8), put(out, offset, 8);
  put(out, 0x07064b50, 4), put(out, 0, 4), put(out, end, 8), put(out, 1, 4);
  put(out, 0x06054b50, 4), put(out, 0, 4), put(out, 0xffff, 2), put(out, 0xffff, 2), put(out, kFull, 4);
  put(out, kFull, 4), put(out, 0, 2);
  return out;
}

}  // namespace alps

// One member of a ZIP archive read front to back, inflated by zlib if need be, in constant memory: the bytes go
// straight to where the caller wants them. Size and checksum are verified at the end. Used by NpzReader for whole
// arrays and for streams.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alps/base/input_file.h"
#include "alps/base/zip.h"

namespace alps {

class MemberStream {
 public:
  MemberStream(std::shared_ptr<const InputFile> file, ZipMember member, std::string where);
  ~MemberStream();
  MemberStream(const MemberStream&) = delete;
  MemberStream& operator=(const MemberStream&) = delete;

  const ZipMember& member() const { return member_; }
  void read(std::span<std::byte> out);  // the next out.size() bytes, of which there must be as many
  void finish();                        // after the last byte: the data ends here and the checksum holds

 private:
  struct Inflater;

  void read_deflated(std::span<std::byte> out);
  void fill_input();
  [[noreturn]] void damaged(const char* how) const;

  std::shared_ptr<const InputFile> file_;
  ZipMember member_;
  std::string where_;               // opens every error message
  std::unique_ptr<Inflater> zlib_;  // null for a stored member
  uint64_t taken_ = 0;              // compressed bytes read from the file
  uint64_t given_ = 0;              // bytes handed out
  uint32_t crc_ = 0;
};

}  // namespace alps

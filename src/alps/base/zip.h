// ZIP archives (PKWARE's APPNOTE.TXT, 4.3 and 4.5.3), as much of them as NumPy's .npz files use: stored and deflated
// members, ZIP64. An archive ends with a directory of its members, and the directory with a record that says where it
// is; sizes, offsets and checksums are taken from there. What the directory claims is checked against the file, so
// that nothing after it needs to doubt an offset or allocate on the word of a damaged or hostile file.
//
//   [local header][data]  [local header][data] ...  [directory] [ZIP64 end record, locator] [end record]
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alps/base/input_file.h"

namespace alps {

struct ZipMember {
  std::string name;
  bool deflated = false;
  uint32_t crc = 0;
  uint64_t compressed_size = 0;
  uint64_t size = 0;
  uint64_t header_offset = 0;  // of the local header
  uint64_t data_offset = 0;    // of the data behind it; set when reading
};

// the members in the order of the directory; names are unique, no two members share bytes
std::vector<ZipMember> read_zip_directory(const InputFile& file);

// what a writer puts in front of each member (always of the same size for the same name, so that it can be written
// again when the sizes and the checksum are known) and behind the last one
std::string zip_local_header(const ZipMember& member);
std::string zip_directory(std::span<const ZipMember> members, uint64_t offset);

// a name for an error message: in quotes, short, nothing in it that a terminal would act on
std::string quote_name(std::string_view name);

}  // namespace alps

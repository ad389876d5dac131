// An .npz file open for reading: which member is which key, and a member opened as an array. NpzReader and RowFile
// stand on it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "alps/base/member_stream.h"
#include "alps/base/npy.h"

namespace alps {

class NpzArchive {
 public:
  explicit NpzArchive(std::filesystem::path path);

  const std::shared_ptr<const InputFile>& file() const { return file_; }
  const std::vector<std::string>& keys() const { return keys_; }
  const ZipMember* find(const std::string& key) const;    // null if there is none
  const ZipMember& member(const std::string& key) const;  // an Error that lists what there is

 private:
  std::shared_ptr<const InputFile> file_;
  std::vector<ZipMember> members_;
  std::vector<std::string> keys_;  // of members_, in the same order
  std::unordered_map<std::string, size_t> index_;
};

// A member whose header has been read: the array comes next.
class MemberArray {
 public:
  MemberArray(const NpzArchive& archive, const std::string& key);

  const ArrayInfo& info() const { return header_.info; }
  const std::string& where() const { return where_; }  // opens error messages: "x.npz: key 'y'"
  bool half() const { return header_.half; }           // the file holds float16; whole numbers only are read
  bool in_place() const { return !header_.info.compressed && !header_.half; }  // the file holds it as we give it out
  uint64_t data_offset() const;                                                // of the array in the file, if it does
  Array read_all();                                                            // and verify
  void read(std::span<std::byte> out);                                         // the next bytes
  void finish() { stream_.finish(); }                                          // verify

 private:
  ReadFn source();  // of the array's bytes

  std::string where_;
  MemberStream stream_;
  NpyHeader header_;
};

}  // namespace alps

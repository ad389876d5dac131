#include "alps/base/npz_archive.h"

#include <algorithm>

namespace alps {

NpzArchive::NpzArchive(std::filesystem::path path) : file_(std::make_shared<InputFile>(std::move(path))) {
  members_ = read_zip_directory(*file_);
  for (const ZipMember& member : members_) {
    std::string key = member.name;
    if (key.ends_with(".npy")) key.resize(key.size() - 4);
    if (!index_.emplace(key, keys_.size()).second)
      throw Error(file_->path().string(), " holds the key ", quote_name(key), " twice; save it again");
    keys_.push_back(std::move(key));
  }
}

const ZipMember* NpzArchive::find(const std::string& key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &members_[found->second];
}

const ZipMember& NpzArchive::member(const std::string& key) const {
  if (const ZipMember* member = find(key)) return *member;
  constexpr size_t kListed = 20;
  std::string listed;
  for (size_t i = 0; i < std::min(keys_.size(), kListed); ++i) listed += (i ? ", " : "") + quote_name(keys_[i]);
  if (keys_.size() > kListed) listed += ", ...";
  throw Error(file_->path().string(), " has no key ", quote_name(key), "; it has ", keys_.empty() ? "none" : listed);
}

MemberArray::MemberArray(const NpzArchive& archive, const std::string& key)
    : where_(str(archive.file()->path().string(), ": key ", quote_name(key))),
      stream_(archive.file(), archive.member(key), where_) {
  header_ = read_npy_header([this](auto out) { stream_.read(out); }, stream_.member().size, where_);
  header_.info.compressed = stream_.member().deflated;
}

uint64_t MemberArray::data_offset() const {
  ALPS_CHECK(in_place());
  return stream_.member().data_offset + header_.size;
}

ReadFn MemberArray::source() {
  const ReadFn plain = [this](std::span<std::byte> out) { stream_.read(out); };
  return header_.half ? widened(plain) : plain;
}

Array MemberArray::read_all() {
  Array array = read_npy_array(source(), header_.info, where_);
  stream_.finish();
  return array;
}

void MemberArray::read(std::span<std::byte> out) {
  source()(out);
  normalize_bools(header_.info.dtype, out);
}

}  // namespace alps

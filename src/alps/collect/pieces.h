// The finished pieces of a data set in the making, kept in a folder beside it (`FILE.making`), so that work that was
// killed goes on where it was: each piece is an .npz of some episodes, written atomically, and they are joined and
// removed at the end. A piece's name carries a hash of everything that its rows depend on, so pieces count only for the
// very same work.
//
// Several machines may fill one folder at the same time (`Owner::kPart`): they take no lock, because a piece appears
// by a rename and has the same bytes whoever makes it. Whoever makes the whole (`Owner::kWhole`) throws away what other
// settings left behind, and takes a lock that keeps a second process of this machine from doing the same work.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "alps/base/file.h"
#include "alps/collect/painter.h"

namespace alps {

class Pieces {
 public:
  enum class Owner { kWhole, kPart };
  // `work` names everything the rows depend on
  Pieces(const std::filesystem::path& dataset, std::string_view work, Owner owner);
  ~Pieces();  // an empty folder is removed

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path path(size_t piece) const;
  uintmax_t bytes() const;  // of the finished ones
  bool has(size_t piece) const { return std::filesystem::exists(path(piece)); }

  // Writes `file`: the rows of pieces first .. last - 1, one after the other. With a painter, the images of their
  // observations take the place of these; `painted` is told of them.
  void join(size_t first, size_t last, std::span<const char* const> keys, const std::filesystem::path& file,
            int threads, Painter* painter = nullptr, const std::function<void(size_t)>& painted = {}) const;
  void remove();

 private:
  std::filesystem::path folder_;
  std::string hash_;
  std::optional<FolderLock> lock_;
};

}  // namespace alps

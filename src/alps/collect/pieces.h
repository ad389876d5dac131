// The finished pieces of a data set in the making, kept in a folder beside it (`FILE.making`), so that work that was
// killed goes on where it was: each piece is an .npz of some episodes, written atomically, and they are joined and
// removed at the end. Pieces count only for the very same work: what other settings left behind is thrown away.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "alps/base/file.h"

namespace alps {

class Pieces {
 public:
  // locks the folder: one process at a time makes a data set. `work` names everything the rows depend on.
  Pieces(const std::filesystem::path& dataset, std::string_view work);
  ~Pieces();  // an empty folder is removed

  std::filesystem::path path(size_t piece) const;
  bool has(size_t piece) const { return std::filesystem::exists(path(piece)); }

  // writes `file`: the rows of pieces first .. last - 1, one after the other
  void join(size_t first, size_t last, std::span<const char* const> keys, const std::filesystem::path& file,
            int threads) const;
  void remove();

 private:
  std::filesystem::path folder_;
  FolderLock lock_;
};

}  // namespace alps

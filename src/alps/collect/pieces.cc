#include "alps/collect/pieces.h"

#include <algorithm>

#include "alps/base/error.h"
#include "alps/base/npz.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr const char* kWork = "work.txt";

}  // namespace

Pieces::Pieces(const fs::path& dataset, std::string_view work) : folder_(dataset.string() + ".making"), lock_(folder_) {
  if (fs::exists(folder_ / kWork) && read_text(folder_ / kWork) == work) return;
  for (const auto& entry : fs::directory_iterator(folder_)) fs::remove(entry.path());
  write_text(folder_ / kWork, work);
}

Pieces::~Pieces() {
  // nothing was finished: leave nothing behind
  std::error_code ignored;
  const auto piece = [](const fs::directory_entry& e) { return e.path().extension() == ".npz"; };
  if (std::ranges::none_of(fs::directory_iterator(folder_, ignored), piece)) fs::remove_all(folder_, ignored);
}

fs::path Pieces::path(size_t piece) const { return folder_ / str(piece, ".npz"); }

void Pieces::join(size_t first, size_t last, std::span<const char* const> keys, const fs::path& file,
                  int threads) const {
  NpzWriter out(file, {.threads = threads});
  // one open at a time: there may be more pieces than a process may open files
  for (const char* key : keys) {
    ArrayInfo whole = NpzReader(path(first)).info(key);
    for (size_t i = first + 1; i < last; ++i) whole.shape[0] += NpzReader(path(i)).info(key).shape[0];
    out.begin(key, whole.dtype, whole.shape);
    for (size_t i = first; i < last; ++i) out.append(NpzReader(path(i)).read(key).bytes());
  }
  out.finish();
}

void Pieces::remove() { fs::remove_all(folder_); }

}  // namespace alps

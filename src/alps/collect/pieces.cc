#include "alps/collect/pieces.h"

#include "alps/base/error.h"
#include "alps/base/hash.h"
#include "alps/base/npz.h"

namespace fs = std::filesystem;

namespace alps {

Pieces::Pieces(const fs::path& dataset, std::string_view work, Owner owner)
    : folder_(dataset.string() + ".making"), hash_(hash_name(work)) {
  if (owner == Owner::kPart) {
    std::error_code code;
    fs::create_directories(folder_, code);
    if (code) throw Error("cannot create folder ", folder_.string(), ": ", code.message());
    return;
  }
  lock_.emplace(folder_);
  // a piece of this work that another machine is writing has the hash in its name too
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.path().filename().string().find("." + hash_ + ".npz") == std::string::npos) fs::remove(entry.path());
}

Pieces::~Pieces() {
  // nothing was finished: leave nothing behind; a folder that holds anything, of whomever, stays
  std::error_code ignored;
  fs::remove(folder_, ignored);
}

uintmax_t Pieces::bytes() const {
  uintmax_t sum = 0;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(folder_, gone)) {
    const uintmax_t size = entry.file_size(gone);
    if (!gone) sum += size;
  }
  return sum;
}

fs::path Pieces::path(size_t piece) const { return folder_ / str(piece, ".", hash_, ".npz"); }

void Pieces::join(size_t first, size_t last, std::span<const char* const> keys, const fs::path& file, int threads,
                  Painter* painter, const std::function<void(size_t)>& painted) const {
  NpzWriter out(file, {.threads = threads});
  // one open at a time: there may be more pieces than a process may open files
  for (const char* key : keys) {
    const bool paint = painter != nullptr && std::string_view(key) == "observations";
    ArrayInfo whole = NpzReader(path(first)).info(key);
    for (size_t i = first + 1; i < last; ++i) whole.shape[0] += NpzReader(path(i)).info(key).shape[0];
    if (paint)
      out.begin(key, DType::kUInt8, painter->shape(whole.shape[0]));
    else
      out.begin(key, whole.dtype, whole.shape);
    for (size_t i = first; i < last; ++i) {
      const Array rows = NpzReader(path(i)).read(key);
      if (paint)
        painter->append(rows, out, painted);
      else
        out.append(rows.bytes());
    }
  }
  out.finish();
}

void Pieces::remove() { fs::remove_all(folder_); }

}  // namespace alps

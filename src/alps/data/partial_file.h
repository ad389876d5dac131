// A file on its way from a server: `TARGET.download` holds the bytes so far, `TARGET.download.from` says which version
// of which URL they belong to. Both outlive the process, so that the next one can go on; `finish()` makes the part the
// target. Locked while it is open, so that two processes never write into one file; an empty part, or one that
// cannot be continued, leaves no trace.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace alps {

// which version of which file a part belongs to
struct Origin {
  std::string url;
  std::string validator;  // a strong ETag or a date, for If-Range; empty: the part cannot be continued
  size_t total = 0;       // bytes of the whole; 0: unknown
};

class PartialFile {
 public:
  explicit PartialFile(const std::filesystem::path& target);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const Origin& origin() const { return origin_; }
  size_t size() const { return size_; }
  bool complete() const { return origin_.total > 0 && size_ == origin_.total; }

  void begin(Origin origin);  // forgets all bytes
  void append(std::string_view bytes);
  void finish();  // becomes the target

 private:
  void open_locked();
  [[noreturn]] void fail() const;

  std::filesystem::path target_, part_, note_;
  int descriptor_ = -1;
  size_t size_ = 0;
  Origin origin_;
};

}  // namespace alps

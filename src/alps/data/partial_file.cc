#include "alps/data/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "alps/base/error.h"
#include "alps/base/file.h"

namespace fs = std::filesystem;

namespace alps {

PartialFile::PartialFile(const fs::path& target) : target_(target), part_(target), note_(target) {
  part_ += ".download";
  note_ += ".download.from";
  std::error_code code;
  if (target_.has_parent_path()) fs::create_directories(target_.parent_path(), code);
  if (code) throw Error("cannot create folder ", target_.parent_path().string(), ": ", code.message());
  open_locked();

  // a note that cannot be read is as good as none: the part starts anew
  size_ = lseek(descriptor_, 0, SEEK_END);
  std::ifstream lines(note_);
  std::string total;
  if (std::getline(lines, origin_.url) && std::getline(lines, origin_.validator) && std::getline(lines, total))
    origin_.total = std::strtoull(total.c_str(), nullptr, 10);
  else
    origin_ = {};
}

void PartialFile::open_locked() {
  while (descriptor_ < 0) {
    descriptor_ = open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) fail();
    const bool busy = flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    // whoever held the lock before may have renamed or removed the file since it was opened
    struct stat held = {}, named = {};
    fstat(descriptor_, &held);
    const bool same = stat(part_.c_str(), &named) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev;
    if (same && !busy) return;
    close(std::exchange(descriptor_, -1));
    if (busy) throw Error(target_.string(), " is being downloaded by another process; wait for it, or stop it");
  }
}

PartialFile::~PartialFile() {
  if (descriptor_ < 0) return;
  // what nobody can continue is not worth its room
  if (size_ == 0 || origin_.validator.empty()) {
    unlink(note_.c_str());
    unlink(part_.c_str());
  }
  close(descriptor_);
}

// the note comes before the first byte: there is never a byte of which nobody knows the origin
void PartialFile::begin(Origin origin) {
  if (ftruncate(descriptor_, 0) != 0 || lseek(descriptor_, 0, SEEK_SET) != 0) fail();
  size_ = 0;
  origin_ = std::move(origin);
  write_text(note_, str(origin_.url, "\n", origin_.validator, "\n", origin_.total, "\n"));
}

void PartialFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail();
    bytes.remove_prefix(done);
    size_ += done;
  }
}

void PartialFile::finish() {
  if (fsync(descriptor_) != 0) fail();
  if (rename(part_.c_str(), target_.c_str()) != 0)
    throw Error("cannot rename ", part_.string(), " to ", target_.string(), ": ", std::strerror(errno));
  unlink(note_.c_str());
  close(std::exchange(descriptor_, -1));
}

void PartialFile::fail() const { throw Error("cannot write ", part_.string(), ": ", std::strerror(errno)); }

}  // namespace alps

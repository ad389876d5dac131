#include "alps/base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "alps/base/error.h"

namespace fs = std::filesystem;

namespace alps {

AtomicFile::AtomicFile(fs::path target) : target_(std::move(target)) {
  static std::atomic<int> counter = 0;
  std::error_code code;
  if (target_.has_parent_path()) fs::create_directories(target_.parent_path(), code);
  if (code) throw Error("cannot create folder ", target_.parent_path().string(), ": ", code.message());
  part_ = target_;
  part_ += str(".", host_name(), ".", getpid(), ".", counter++, ".part");
  descriptor_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw Error("cannot write ", target_.string(), ": ", std::strerror(errno));
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) {
    close(descriptor_);
    unlink(part_.c_str());
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw Error("cannot write ", target_.string(), ": ", std::strerror(errno));
    bytes = bytes.subspan(done);
  }
}

void AtomicFile::write_at(size_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw Error("cannot write ", target_.string(), ": ", std::strerror(errno));
    bytes = bytes.subspan(done);
    offset += done;
  }
}

void AtomicFile::commit() {
  if (fsync(descriptor_) != 0) throw Error("cannot write ", target_.string(), ": ", std::strerror(errno));
  const int descriptor = std::exchange(descriptor_, -1);
  if (close(descriptor) != 0 || rename(part_.c_str(), target_.c_str()) != 0) {
    const int code = errno;
    unlink(part_.c_str());
    throw Error("cannot write ", target_.string(), ": ", std::strerror(code));
  }
}

FolderLock::FolderLock(const fs::path& folder) {
  fs::create_directories(folder);
  descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) throw Error(folder.string(), ": cannot be opened: ", std::strerror(errno));
  // Without locks this is still right: files appear by renames, whole, and whoever shares work out over machines does
  // so by files created exclusively. Two processes would do the same work twice and leave the same files.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || cannot_lock(errno)) return;
  const int code = errno;
  ::close(descriptor_);
  if (code != EWOULDBLOCK) throw Error(folder.string(), ": cannot be locked: ", std::strerror(code));
  throw Error(folder.string(), ": another process is writing to this folder; wait for it, or choose another one");
}

FolderLock::~FolderLock() { ::close(descriptor_); }

bool cannot_lock(int code) {
  // EBADF: NFS turns flock() into a lock for writing, which no folder can be opened for
  return code == ENOLCK || code == ENOTSUP || code == EOPNOTSUPP || code == ENOSYS || code == EBADF || code == EINVAL;
}

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "host";
  std::string host(name, std::strcspn(name, "."));
  std::ranges::replace_if(
      host, [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '_'; }, '_');
  return host.empty() ? "host" : host;
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("cannot read ", path.string(), ": ", std::strerror(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_text(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

fs::path home_folder() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') throw Error("HOME is not set; name the data folder with --data_dir");
  return home;
}

fs::path expand_user(const fs::path& path) {
  const std::string text = path.string();
  if (text == "~") return home_folder();
  if (text.starts_with("~/")) return home_folder() / text.substr(2);
  return path;
}

}  // namespace alps

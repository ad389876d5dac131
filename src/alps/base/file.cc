#include "alps/base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "alps/base/error.h"

namespace fs = std::filesystem;

namespace alps {

namespace {

// the process that a name like TARGET.HOST.PID.N.part of this machine carries; 0 for other names
pid_t owner_of_part(std::string_view name) {
  const auto take_number = [&]() -> long {
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return 0;
    const std::string digits(name.substr(dot + 1));
    if (digits.empty() || digits.size() > 9 || !std::ranges::all_of(digits, [](unsigned char c) { return isdigit(c); }))
      return 0;
    name.remove_suffix(name.size() - dot);
    return std::atol(digits.c_str()) + 1;  // 0: none
  };
  constexpr std::string_view kEnd = ".part";
  if (!name.ends_with(kEnd)) return 0;
  name.remove_suffix(kEnd.size());
  if (take_number() == 0) return 0;
  const long pid = take_number();
  return pid > 1 && name.ends_with("." + host_name()) ? static_cast<pid_t>(pid - 1) : 0;
}

// Parts that processes of this machine left when they were killed. A process in another container may have the number
// of a dead one here, so the part's lock decides too.
void remove_abandoned_parts(const fs::path& folder) {
  std::error_code none;
  fs::directory_iterator at(folder.empty() ? fs::path(".") : folder, none);
  for (; !none && at != fs::directory_iterator(); at.increment(none)) {  // it may vanish meanwhile
    const fs::path& path = at->path();
    const pid_t owner = owner_of_part(path.filename().string());
    if (owner == 0 || (owner != getpid() && (kill(owner, 0) == 0 || errno != ESRCH))) continue;
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
    close(descriptor);
  }
}

}  // namespace

AtomicFile::AtomicFile(fs::path target) : target_(std::move(target)) {
  static std::atomic<int> counter = 0;
  std::error_code code;
  if (target_.has_parent_path()) fs::create_directories(target_.parent_path(), code);
  if (code) throw Error("cannot create folder ", target_.parent_path().string(), ": ", code.message());
  // Containers may share a folder, the machine's name and numbers of processes: the name has to be new. The lock says
  // that somebody is still writing; where the file system has none, the number of the process says it alone.
  constexpr int kTries = 100;
  for (int tries = 0;; ++tries) {
    part_ = target_;
    part_ += str(".", host_name(), ".", getpid(), ".", counter++, ".part");
    descriptor_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor_ < 0 && errno != EEXIST) throw Error("cannot write ", target_.string(), ": ", std::strerror(errno));
    if (descriptor_ < 0) continue;
    // another thread may take it for abandoned before it is locked
    struct stat held {};
    const bool examined = flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if ((!examined && fstat(descriptor_, &held) == 0 && held.st_nlink > 0) || tries == kTries) break;
    unlink(part_.c_str());
    close(std::exchange(descriptor_, -1));
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) {
    unlink(part_.c_str());
    close(descriptor_);
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
  // renamed while the lock is held: without it, another thread would take the part for abandoned
  if (rename(part_.c_str(), target_.c_str()) != 0)
    throw Error("cannot write ", target_.string(), ": ", std::strerror(errno));
  if (close(std::exchange(descriptor_, -1)) != 0)
    throw Error("cannot write ", target_.string(), ": ", std::strerror(errno));
  remove_abandoned_parts(target_.parent_path());
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

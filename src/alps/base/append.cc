#include "alps/base/append.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "alps/base/error.h"
#include "alps/base/file.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

std::string line_of(const CsvRow& row, std::string CsvCell::*part) {
  std::string line;
  for (const CsvCell& cell : row) line += (&cell == &row.front() ? "" : ",") + quoted(cell.*part);
  return line + '\n';
}

[[noreturn]] void refuse(const fs::path& path) {
  throw Error(path.string(),
              " has other columns than this version of alps writes, so no row was added; move it away, or name "
              "another file");
}

// the file as this process holds it: open for appending and locked until the end of its life
class LockedFile {
 public:
  explicit LockedFile(const fs::path& path) : path_(path) {
    std::error_code code;
    if (path.has_parent_path()) fs::create_directories(path.parent_path(), code);
    if (code) throw Error("cannot create folder ", path.parent_path().string(), ": ", code.message());
    // a file that was moved away while we waited for its lock is no longer the one of this name
    while (!open_and_lock()) ::close(descriptor_);
  }
  ~LockedFile() { ::close(descriptor_); }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  size_t size() const { return size_; }

  std::string read(size_t offset, size_t count) const {
    std::string text(count, '\0');
    size_t done = 0;
    while (done < count) {
      const ssize_t got = ::pread(descriptor_, text.data() + done, count - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail();
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    text.resize(done);
    return text;
  }

  void append(const std::string& text) {
    ssize_t done = 0;
    do {
      done = ::write(descriptor_, text.data(), text.size());
    } while (done < 0 && errno == EINTR);
    const int code = done < 0 ? errno : ENOSPC;
    if (done == static_cast<ssize_t>(text.size()) && ::fsync(descriptor_) == 0) return;
    // part of a row, on a full disk, is worse than none
    if (::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) fail();
    errno = code;
    fail();
  }

 private:
  bool open_and_lock() {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) fail();
    // Where a file system cannot lock, a row is still one write() to a file opened for appending, which keeps rows of
    // one machine apart. Several machines that must not lose a row write a file for each result (run/results.h).
    while (::flock(descriptor_, LOCK_EX) != 0 && !cannot_lock(errno))
      if (errno != EINTR) fail_closed();
    struct stat held {
    }, named{};
    if (::fstat(descriptor_, &held) != 0) fail_closed();
    size_ = static_cast<size_t>(held.st_size);
    return ::stat(path_.c_str(), &named) == 0 && named.st_ino == held.st_ino && named.st_dev == held.st_dev;
  }
  [[noreturn]] void fail_closed() const {
    const int code = errno;
    ::close(descriptor_);
    errno = code;
    fail();
  }
  [[noreturn]] void fail() const { throw Error("cannot append to ", path_.string(), ": ", std::strerror(errno)); }

  fs::path path_;
  int descriptor_ = -1;
  size_t size_ = 0;
};

// whether the first line of the file is this one
bool begins_with(const LockedFile& file, const std::string& header) {
  std::string first = file.read(0, header.size() + 1);
  if (const size_t at = first.find("\r\n"); at != std::string::npos) first.erase(at, 1);  // saved by a spreadsheet
  first += '\n';  // or without the last line's end
  return first.starts_with(header);
}

}  // namespace

void check_columns(const fs::path& path, const CsvRow& row) {
  if (!fs::exists(path)) return;
  const LockedFile file(path);
  if (file.size() > 0 && !begins_with(file, line_of(row, &CsvCell::column))) refuse(path);
}

void append_row(const fs::path& path, const CsvRow& row) {
  LockedFile file(path);
  const std::string header = line_of(row, &CsvCell::column);
  std::string text;
  if (file.size() == 0)
    text = header;
  else if (!begins_with(file, header))
    refuse(path);
  else if (file.read(file.size() - 1, 1) != "\n")
    text = "\n";
  file.append(text + line_of(row, &CsvCell::value));
}

}  // namespace alps

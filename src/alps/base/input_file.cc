#include "alps/base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "alps/base/error.h"

namespace alps {

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  // O_NONBLOCK: a pipe must not hold us up before we can refuse it
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) throw Error("cannot read ", path_.string(), ": ", std::strerror(errno));
  struct stat status;
  const bool regular = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (!regular) {
    close(descriptor_);
    throw Error("cannot read ", path_.string(), ": it is not a regular file");
  }
  size_ = static_cast<uint64_t>(status.st_size);
}

InputFile::~InputFile() { close(descriptor_); }

void InputFile::read_at(uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t done = pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw Error("cannot read ", path_.string(), ": ", std::strerror(errno));
    if (done == 0) throw Error(path_.string(), " ends at byte ", offset, ", before its content does; fetch it again");
    out = out.subspan(done);
    offset += done;
  }
}

}  // namespace alps

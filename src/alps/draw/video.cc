#include "alps/draw/video.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "alps/base/error.h"

namespace fs = std::filesystem;

extern char** environ;

namespace alps {
namespace {

// the end of what was written to a file, on one line
std::string last_words(int descriptor) {
  std::array<char, 300> text{};
  const off_t size = lseek(descriptor, 0, SEEK_END), room = static_cast<off_t>(text.size());
  const ssize_t count = pread(descriptor, text.data(), text.size(), size > room ? size - room : 0);
  std::string words(text.data(), count > 0 ? count : 0);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  for (char& c : words)
    if (c == '\n') c = ' ';
  return words;
}

// waits; the exit code, or 128 and the signal
int exit_code(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

fs::path find_ffmpeg() {
  const char* path = std::getenv("PATH");
  std::string folders = path != nullptr ? path : "";
  for (size_t first = 0; first <= folders.size();) {
    const size_t end = std::min(folders.find(':', first), folders.size());
    const fs::path program = fs::path(folders.substr(first, end - first)) / "ffmpeg";
    if (end > first && access(program.c_str(), X_OK) == 0) return program;
    first = end + 1;
  }
  throw Error("no ffmpeg on PATH to write videos with; install the Debian package ffmpeg");
}

VideoWriter::VideoWriter(const fs::path& path, int width, int height, double frames_per_second)
    : path_(path), width_(width), height_(height), file_(path) {
  const std::string program = find_ffmpeg().string(), size = str(width, "x", height), rate = str(frames_per_second),
                    target = "file:" + file_.part().string();
  std::vector<const char*> arguments = {
      program.c_str(), "-nostats", "-loglevel", "error",      "-y",         "-f",
      "rawvideo",      "-pix_fmt", "rgb24",     "-s",         size.c_str(), "-r",
      rate.c_str(),    "-i",       "pipe:0",    "-an",        "-vf",        "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white",
      "-c:v",          "libx264",  "-preset",   "veryfast",   "-crf",       "22",
      "-pix_fmt",      "yuv420p",  "-movflags", "+faststart", "-f",         "mp4",
      target.c_str(),  nullptr};

  // a socket instead of a pipe: writing to a process that has ended is then an error, not a signal
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error("cannot open a pipe to ffmpeg: ", std::strerror(errno));
  socket_ = ends[0];
  words_ = memfd_create("ffmpeg", MFD_CLOEXEC);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (words_ >= 0) posix_spawn_file_actions_adddup2(&actions, words_, 2);
  const int code =
      posix_spawn(&process_, program.c_str(), &actions, nullptr, const_cast<char* const*>(arguments.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (code == 0) return;
  close(socket_);
  if (words_ >= 0) close(words_);
  throw Error("cannot start ", program, ": ", std::strerror(code));
}

VideoWriter::~VideoWriter() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    exit_code(process_);
  }
  if (socket_ >= 0) close(socket_);
  if (words_ >= 0) close(words_);
}

void VideoWriter::write(const Frame& frame) {
  ALPS_CHECK(frame.width == width_ && frame.height == height_ && process_ > 0);
  for (size_t done = 0; done < frame.rgb.size();) {
    const ssize_t count = send(socket_, frame.rgb.data() + done, frame.rgb.size() - done, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(std::strerror(errno));
    done += count;
  }
}

void VideoWriter::finish() {
  close(std::exchange(socket_, -1));
  if (const int code = exit_code(std::exchange(process_, -1)); code != 0) fail(str("exit code ", code));
  file_.commit();
}

void VideoWriter::fail(const std::string& what) {
  // its own words, once it has ended, say more
  if (process_ > 0) {
    close(std::exchange(socket_, -1));
    exit_code(std::exchange(process_, -1));
  }
  const std::string said = words_ >= 0 ? last_words(words_) : "";
  throw Error("ffmpeg could not write ", path_.string(), ": ", said.empty() ? what : said);
}

}  // namespace alps

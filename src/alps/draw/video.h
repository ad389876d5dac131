// Frames to an .mp4 (H.264, yuv420p, which every browser plays) by the ffmpeg program, through a pipe and without a
// shell. The file appears under its name, whole, with `finish()`; without it nothing is left behind.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "alps/base/file.h"
#include "alps/base/frame.h"

namespace alps {

// the program on PATH, or throws Error that says what to install
std::filesystem::path find_ffmpeg();

class VideoWriter {
 public:
  VideoWriter(const std::filesystem::path& path, int width, int height, double frames_per_second);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  void write(const Frame& frame);  // of the size that was told; odd sizes get one more column or row
  void finish();                   // the last call

 private:
  [[noreturn]] void fail(const std::string& what);

  std::filesystem::path path_;
  int width_, height_;
  AtomicFile file_;
  pid_t process_ = -1;
  int socket_ = -1;
  int words_ = -1;  // what ffmpeg says
};

}  // namespace alps

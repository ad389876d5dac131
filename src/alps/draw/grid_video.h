// Rendered episodes side by side as a video, in OGBench's manner: one column per task with the goal's picture above the
// agent's, further episodes in further rows; an episode that is over stays, dimmed, until the last one is.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "alps/base/frame.h"
#include "alps/base/progress.h"

namespace alps {

struct RenderedEpisode {
  std::string name;      // "task 3"
  std::string end = {};  // said when it is over: "arrived after 123 steps"
  bool success = false;
  Frame goal;                          // all frames of a video have one size
  size_t count = 0;                    // of frames, at least one
  std::function<Frame(size_t)> frame;  // rendered when it is needed: a long video fits no memory
};

struct GridVideoOptions {
  size_t columns = 0;  // 0: all in one row
  double frames_per_second = 15;
  ProgressFn progress = {};  // frames
};

// the width of frames with `height_share` of it as their height, so that a grid of them is as large as a screen
int grid_frame_width(size_t columns, size_t rows, double height_share);

// Throws Error without episodes.
void write_grid_video(const std::filesystem::path& path, std::span<const RenderedEpisode> episodes,
                      const GridVideoOptions& options = {});

}  // namespace alps

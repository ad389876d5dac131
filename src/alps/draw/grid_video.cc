#include "alps/draw/grid_video.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/draw/head.h"
#include "alps/draw/pen.h"
#include "alps/draw/video.h"

namespace alps {

namespace {

constexpr int kGap = 4, kTitle = 22;  // pixels between frames, and above each column
constexpr int kMostWidth = 1920, kMostHeight = 2160, kLargest = 320;
constexpr double kEndSeconds = 2;  // after the last episode has ended
constexpr Color kSuccess = rgb(0x1f9d55), kFailure = rgb(0xb3262e);

Frame title_strip(const std::string& text, int width, Color color) {
  TextStyle style{12, color, Anchor::kLeft, true};
  const double room = width - 4.0, wide = text_width(text, style);
  if (wide > room) style.size *= room / wide;
  Pen pen(PictureFormat::kPng, width, kTitle, 1);
  pen.text({2, kTitle / 2.0}, text, style);
  return pen.pixels();
}

Frame dimmed(Frame frame) {
  for (uint8_t& value : frame.rgb) value /= 2;
  return frame;
}

// one episode's place in the grid
struct Place {
  Frame title, end_title, last;
  int left = 0, top = 0;
};

}  // namespace

int grid_frame_width(size_t columns, size_t rows, double height_share) {
  const int across = kMostWidth / static_cast<int>(columns) - kGap;
  const double down = (kMostHeight / static_cast<double>(rows) - kTitle - 2 * kGap) / 2 / height_share;
  return std::max(32, std::min({kLargest, across, static_cast<int>(down)}) / 2 * 2);
}

void write_grid_video(const std::filesystem::path& path, std::span<const RenderedEpisode> episodes,
                      const GridVideoOptions& options) {
  if (episodes.empty()) throw Error("cannot write ", path.string(), ": there are no episodes");
  const int width = episodes[0].goal.width, height = episodes[0].goal.height;
  const size_t columns = options.columns > 0 ? std::min(options.columns, episodes.size()) : episodes.size();
  const size_t rows = (episodes.size() + columns - 1) / columns;
  const int step_x = width + kGap, step_y = kTitle + 2 * (height + kGap);

  // titles and goals stay, so the page is made once
  Frame page(static_cast<int>(columns) * step_x + kGap, static_cast<int>(rows) * step_y, 255);
  std::vector<Place> places;
  size_t longest = 0;
  for (size_t i = 0; i < episodes.size(); ++i) {
    const RenderedEpisode& e = episodes[i];
    ALPS_CHECK(e.count > 0 && e.goal.width == width && e.goal.height == height);
    Place place{title_strip(e.name, width, kInk),
                title_strip(str(e.name, ": ", e.end), width, e.success ? kSuccess : kFailure),
                {},
                kGap + static_cast<int>(i % columns) * step_x,
                static_cast<int>(i / columns) * step_y};
    page.paste(place.title, place.left, place.top);
    page.paste(e.goal, place.left, place.top + kTitle);
    longest = std::max(longest, e.count);
    places.push_back(std::move(place));
  }

  VideoWriter video(path, page.width, page.height, options.frames_per_second);
  const size_t frames = longest + static_cast<size_t>(std::ceil(kEndSeconds * options.frames_per_second));
  for (size_t at = 0; at < frames; ++at) {
    for (size_t i = 0; i < episodes.size(); ++i) {
      const RenderedEpisode& e = episodes[i];
      Place& place = places[i];
      const int top = place.top + kTitle + height + kGap;
      if (at < e.count) {
        place.last = e.frame(at);
        ALPS_CHECK(place.last.width == width && place.last.height == height);
        page.paste(place.last, place.left, top);
      } else if (at == e.count) {
        page.paste(dimmed(std::move(place.last)), place.left, top);
        page.paste(place.end_title, place.left, place.top);
      }
    }
    video.write(page);
    if (options.progress) options.progress(at + 1, frames);
  }
  video.finish();
}

}  // namespace alps

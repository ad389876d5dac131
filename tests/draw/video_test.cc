// Videos as a player sees them: written through ffmpeg, and read back with it. The launcher installs ffmpeg for them.
#include "alps/draw/video.h"

#include <sys/wait.h>

#include <cstdlib>

#include "alps/draw/canvas.h"
#include "alps/draw/grid_video.h"
#include "alps/draw/plan_video.h"
#include "picture.h"

namespace alps {
namespace {

class VideoTest : public PictureTest {
 protected:
  // the frames of a video; their size is asked from the file
  std::vector<Frame> read(const std::filesystem::path& path) {
    const auto run = [&](const std::string& command) { return std::system((command + " 2>/dev/null").c_str()); };
    const std::filesystem::path facts = folder_ / "facts.txt", raw = folder_ / "frames.rgb";
    EXPECT_EQ(run(str("ffprobe -v error -select_streams v:0 -show_entries stream=codec_name,pix_fmt,width,height -of "
                      "csv=p=0 '",
                      path.string(), "' > '", facts.string(), "'")),
              0);
    char codec[32] = "", format[32] = "";
    int width = 0, height = 0;
    EXPECT_EQ(std::sscanf(read_text(facts).c_str(), "%31[^,],%d,%d,%31s", codec, &width, &height, format), 4);
    EXPECT_STREQ(codec, "h264");
    EXPECT_STREQ(format, "yuv420p");
    EXPECT_EQ(run(str("ffmpeg -v error -y -i '", path.string(), "' -f rawvideo -pix_fmt rgb24 '", raw.string(), "'")),
              0);
    const std::string bytes = read_text(raw);
    std::filesystem::remove(facts);
    std::filesystem::remove(raw);
    std::vector<Frame> frames;
    for (size_t at = 0; width > 0 && at + 3 * width * height <= bytes.size(); at += 3 * width * height) {
      frames.emplace_back(width, height);
      std::copy_n(bytes.begin() + at, 3 * width * height, frames.back().rgb.begin());
    }
    return frames;
  }

  static unsigned pixel(const Frame& frame, int x, int y) {
    const uint8_t* p = frame.row(y) + 3 * x;
    return p[0] << 16 | p[1] << 8 | p[2];
  }
};

Frame plain(int width, int height, unsigned color) {
  Frame frame(width, height);
  for (size_t i = 0; i < frame.rgb.size(); ++i) frame.rgb[i] = static_cast<uint8_t>(color >> (16 - 8 * (i % 3)));
  return frame;
}

TEST_F(VideoTest, KeepsFramesInOrder) {
  const unsigned colors[] = {0xd03030, 0x30a030, 0x3030c0};
  VideoWriter video(folder_ / "v.mp4", 63, 47, 5);  // odd sizes become even
  for (const unsigned color : colors)
    for (int i = 0; i < 3; ++i) video.write(plain(63, 47, color));
  EXPECT_EQ(files(), 1u);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "v.mp4"));  // not before it is whole
  video.finish();
  EXPECT_EQ(files(), 1u);
  const std::vector<Frame> frames = read(folder_ / "v.mp4");
  ASSERT_EQ(frames.size(), 9u);
  EXPECT_EQ(frames[0].width, 64);
  EXPECT_EQ(frames[0].height, 48);
  for (size_t i = 0; i < 9; ++i) EXPECT_LE(apart(pixel(frames[i], 20, 20), colors[i / 3]), 24) << i;
}

TEST_F(VideoTest, LeavesNothingBehindWhenItIsNotFinished) {
  {
    VideoWriter video(folder_ / "v.mp4", 64, 64, 5);
    video.write(plain(64, 64, 0x808080));
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(VideoTest, SaysThatFfmpegIsMissingOrFailed) {
  const std::string path = std::getenv("PATH");
  const auto message = [&](const std::string& folders) {
    setenv("PATH", folders.c_str(), 1);
    std::string text;
    try {
      VideoWriter video(folder_ / "v.mp4", 64, 64, 5);
      for (int i = 0; i < 200; ++i) video.write(plain(64, 64, 0));
      video.finish();
    } catch (const Error& error) {
      text = error.what();
    }
    setenv("PATH", path.c_str(), 1);
    return text;
  };
  EXPECT_NE(message("").find("install the Debian package ffmpeg"), std::string::npos);
  EXPECT_EQ(files(), 0u);
  // one that ends at once: its words are told, and no signal ends us
  const std::filesystem::path own = folder_ / "bin";
  std::filesystem::create_directory(own);
  write_text(own / "ffmpeg", "#!/bin/sh\necho 'no such encoder' >&2\nexit 3\n");
  std::filesystem::permissions(own / "ffmpeg", std::filesystem::perms::owner_all);
  EXPECT_NE(message(own.string()).find("v.mp4: no such encoder"), std::string::npos);
  std::filesystem::remove_all(own);
  EXPECT_EQ(files(), 0u);
}

TEST_F(VideoTest, GridHasGoalsAboveAndDimsWhatIsOver) {
  std::vector<RenderedEpisode> episodes;
  for (const size_t count : {2, 5})
    episodes.push_back({.name = "task",
                        .end = "arrived",
                        .success = true,
                        .goal = plain(80, 60, 0x2040c0),
                        .count = count,
                        .frame = [](size_t) { return plain(80, 60, 0xc0c020); }});
  write_grid_video(folder_ / "g.mp4", episodes, {.frames_per_second = 5});
  const std::vector<Frame> frames = read(folder_ / "g.mp4");
  ASSERT_EQ(frames.size(), 5u + 10);
  ASSERT_EQ(frames[0].width, 172);
  ASSERT_EQ(frames[0].height, 150);
  for (const int left : {4, 88}) {
    EXPECT_LE(apart(pixel(frames[0], left + 40, 22 + 30), 0x2040c0), 24);
    EXPECT_LE(apart(pixel(frames[0], left + 40, 22 + 64 + 30), 0xc0c020), 24);
  }
  EXPECT_LE(apart(pixel(frames[3], 4 + 40, 22 + 64 + 30), 0x606010), 24);
  EXPECT_LE(apart(pixel(frames[3], 88 + 40, 22 + 64 + 30), 0xc0c020), 24);
  EXPECT_LE(apart(pixel(frames[14], 88 + 40, 22 + 64 + 30), 0x606010), 24);
  EXPECT_THROW(write_grid_video(folder_ / "h.mp4", {}), Error);
}

TEST_F(VideoTest, GridsFitAScreen) {
  EXPECT_EQ(grid_frame_width(5, 1, 1), 320);
  for (const size_t rows : {1, 3, 8})
    for (const double share : {0.7, 1.0}) {
      const int width = grid_frame_width(5, rows, share);
      EXPECT_LE(5 * (width + 4) + 4, 1920);
      EXPECT_LE(rows * (2 * width * share + 30), 2160);
      EXPECT_EQ(width % 2, 0);
    }
}

TEST_F(VideoTest, MapFollowsTheAgent) {
  Floorplan plan;
  plan.bounds = {{0, 0}, {10, 10}};
  PlanEpisode episode{.name = "task 1", .goal = {9, 1}, .path = {}, .moments = {}, .success = true, .end = "arrived"};
  for (int i = 0; i <= 8; ++i) episode.path.push_back({1.0 + i, 1});
  for (size_t i = 0; i < 8; ++i) {
    PlanMoment moment{.step = i, .route = {{1.0 + static_cast<double>(i), 1}, {9, 1}}, .subgoal = Point2{9, 8}};
    moment.imagined = {{episode.path[i], {5, 5}}, {episode.path[i], {5, 9}}};
    moment.elites = 1;
    episode.moments.push_back(std::move(moment));
  }
  draw_plan_video(folder_ / "m.mp4", plan, {&episode, 1}, {.title = "t", .frames_per_second = 4});
  const std::vector<Frame> frames = read(folder_ / "m.mp4");
  ASSERT_EQ(frames.size(), 8u + 8);
  // the agent is the one thing that is blue and on the ground line; it moves to the right, then is green
  const auto center = [](const Frame& frame, unsigned color) {
    double sum = 0, count = 0;
    for (int y = frame.height / 2; y < frame.height; ++y)
      for (int x = 0; x < frame.width; ++x)
        if (apart(pixel(frame, x, y), color) < 24) {
          sum += x;
          ++count;
        }
    return count > 0 ? sum / count : -1;
  };
  EXPECT_LT(center(frames[0], 0x0b5cad), center(frames[7], 0x0b5cad));
  EXPECT_GT(center(frames[0], 0x0b5cad), 0);
  EXPECT_GT(center(frames[15], 0x1f9d55), 0);
  EXPECT_LT(center(frames[15], 0x0b5cad), 0);
  EXPECT_THROW(draw_plan_video(folder_ / "n.mp4", plan, {}, {}), Error);
  EXPECT_EQ(files(), 1u);
}

TEST_F(VideoTest, CanvasInMemoryGivesItsPixelsBack) {
  Canvas canvas(CanvasOptions{.world = {{0, 0}, {1, 1}}, .extent = 50, .scale = 1, .ticks = false});
  const Frame white = canvas.pixels();
  canvas.rects(std::vector<Rect>{{{0, 0}, {1, 1}}}, rgb(0x204080));
  const Frame full = canvas.pixels();
  EXPECT_EQ(pixel(full, full.width / 2, full.height / 2), 0x204080u);
  canvas.replace(white);
  EXPECT_EQ(canvas.pixels().rgb, white.rgb);
  canvas.replace(full);
  EXPECT_EQ(canvas.pixels().rgb, full.rgb);
}

}  // namespace
}  // namespace alps

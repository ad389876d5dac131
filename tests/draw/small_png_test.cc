#include "alps/draw/small_png.h"

#include "alps/draw/canvas.h"
#include "picture.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

using SmallPngTest = PictureTest;

TEST_F(SmallPngTest, KeepsProportionsAndContent) {
  Canvas canvas(folder_ / "a.png", {.world = {{0, 0}, {2, 1}}, .ticks = false});
  canvas.rects(std::vector<Rect>{{{0, 0}, {2, 1}}}, rgb(0x336699));
  canvas.save();
  write_text(folder_ / "b.png", small_png(folder_ / "a.png", 300));
  const Picture large(folder_ / "a.png"), small(folder_ / "b.png");
  EXPECT_EQ(std::max(small.width(), small.height()), 300);
  EXPECT_NEAR(static_cast<double>(small.width()) / small.height(), static_cast<double>(large.width()) / large.height(),
              0.02);
  EXPECT_TRUE(small.shows(0x31639c, small.width() / 2, small.height() / 2));
  EXPECT_FALSE(small.shows(0x31639c, 0, 0));
  EXPECT_LT(fs::file_size(folder_ / "b.png"), fs::file_size(folder_ / "a.png"));
}

TEST_F(SmallPngTest, LeavesSmallOnesAndRefusesOthers) {
  Canvas canvas(folder_ / "a.png", {});
  canvas.save();
  EXPECT_EQ(small_png(folder_ / "a.png", 100000), read_text(folder_ / "a.png"));
  write_text(folder_ / "no.png", "nothing");
  EXPECT_THROW(small_png(folder_ / "no.png", 300), Error);
  EXPECT_THROW(small_png(folder_ / "none.png", 300), Error);
}

}  // namespace
}  // namespace alps

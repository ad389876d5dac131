#include "alps/data/image_pool.h"

#include <gtest/gtest.h>

#include "../base/temp_folder.h"
#include "alps/base/npz.h"

namespace alps {
namespace {

TEST(ImagePool, HoldsEachImageOnceAndGivesEveryRowItsOwn) {
  const TempFolder folder;
  // rows 0, 2, 4 and 1, 5 are equal; row 3 differs from row 1 in its last byte only
  std::vector<uint8_t> pixels;
  for (const int last : {7, 9, 7, 8, 7, 9})
    pixels.insert(pixels.end(), {1, uint8_t(last == 7 ? 2 : 3), 0, uint8_t(last)});
  const auto path = folder / "images.npz";
  NpzWriter writer(path);
  writer.add("observations", Array::of<uint8_t>({6, 2, 2, 1}, pixels));
  writer.finish();

  const auto pool = ImagePool::read(path, 1000);
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->rows(), 6u);
  EXPECT_EQ(pool->distinct(), 3u);
  for (size_t row = 0; row < 6; ++row)
    EXPECT_TRUE(std::ranges::equal(pool->image(row), std::span(pixels).subspan(4 * row, 4))) << row;
  EXPECT_EQ(pool->index(0), pool->index(4));

  // three images of four bytes fit in 12, not in 11
  EXPECT_TRUE(ImagePool::read(path, 12));
  EXPECT_FALSE(ImagePool::read(path, 11));
}

}  // namespace
}  // namespace alps

#include "alps/data/image_pool.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace alps {
namespace {

TEST(ImagePool, HoldsEachImageOnceAndGivesEveryRowItsOwn) {
  // rows 0, 2, 4 and 1, 5 are equal; row 3 differs from row 1 in its last byte only
  std::vector<uint8_t> pixels;
  for (const int last : {7, 9, 7, 8, 7, 9})
    pixels.insert(pixels.end(), {1, uint8_t(last == 7 ? 2 : 3), 0, uint8_t(last)});
  const auto row_of = [&](size_t row) { return std::span<const uint8_t>(pixels).subspan(4 * row, 4); };
  ImagePool pool(4);
  for (size_t row = 0; row < 6; ++row) EXPECT_TRUE(pool.add(row_of(row), 12));  // three images of four bytes fit in 12
  EXPECT_EQ(pool.rows(), 6u);
  EXPECT_EQ(pool.distinct(), 3u);
  EXPECT_EQ(pool.byte_size(), 12u);
  for (size_t row = 0; row < 6; ++row) EXPECT_TRUE(std::ranges::equal(pool.image(row), row_of(row))) << row;
  EXPECT_EQ(pool.index(0), pool.index(4));
  EXPECT_NE(pool.index(1), pool.index(3));

  // what does not fit changes nothing; images that are there already still fit
  const std::vector<uint8_t> other = {5, 5, 5, 5};
  EXPECT_FALSE(pool.add(other, 15));
  EXPECT_EQ(pool.rows(), 6u);
  EXPECT_TRUE(pool.add(row_of(3), 0));
  EXPECT_EQ(pool.index(6), pool.index(3));
  EXPECT_TRUE(pool.add(other, 16));
  EXPECT_EQ(pool.distinct(), 4u);
}

// more than one piece of memory
TEST(ImagePool, KeepsLargeImagesApart) {
  constexpr size_t kSize = 3'000'000;
  ImagePool pool(kSize);
  std::vector<uint8_t> image(kSize, 0);
  for (uint8_t i = 0; i < 12; ++i) {
    image[kSize - 1] = i;
    ASSERT_TRUE(pool.add(image, 12 * kSize));
  }
  for (uint8_t i = 0; i < 12; ++i) {
    EXPECT_EQ(pool.image(i)[kSize - 1], i);
    EXPECT_EQ(pool.image(i)[0], 0);
  }
}

}  // namespace
}  // namespace alps

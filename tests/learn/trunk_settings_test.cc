#include "alps/learn/trunk_settings.h"

#include <gtest/gtest.h>

namespace alps {
namespace {

TEST(TrunkSettings, TheDefaultIsThatOfMaze2d) {
  const std::vector<ConvShape> shape = TrunkSettings{}.shape();
  ASSERT_EQ(shape.size(), kTrunkShape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    EXPECT_EQ(shape[i].channels, kTrunkShape[i].channels);
    EXPECT_EQ(shape[i].kernel, kTrunkShape[i].kernel);
    EXPECT_EQ(shape[i].stride, kTrunkShape[i].stride);
  }
}

TEST(TrunkSettings, ListsAreParsedAndChecked) {
  const TrunkSettings two{.trunk_channels = "8,24", .trunk_kernels = "5,3", .trunk_strides = "3,1"};
  ASSERT_EQ(two.shape().size(), 2u);
  EXPECT_EQ(two.shape()[1].channels, 24u);
  EXPECT_EQ(two.shape()[1].kernel, 3u);
  EXPECT_EQ(two.shape()[0].stride, 3u);
  for (const char* wrong : {"", "8,", ",8", "8,,4", "8;4", "0,4", "-1,4", "8,4.5", "8, 4", "8,99999"})
    EXPECT_THROW((TrunkSettings{.trunk_channels = wrong, .trunk_kernels = "5,3", .trunk_strides = "3,1"}.shape()),
                 UsageError)
        << wrong;
  EXPECT_THROW(TrunkSettings{.trunk_channels = "8,24"}.shape(), UsageError);  // two, three and three
}

TEST(TrunkSettings, AreFieldsOfAProfile) {
  Profile profile;
  profile.add<TrunkSettings>("trunk");
  profile.parse("trunk_channels=8,24");
  profile.parse("trunk_kernels=5,3");
  profile.parse("trunk_strides=3,1");
  profile.parse("trunk_first=free");
  profile.parse("latent=64");
  const auto settings = profile.get<TrunkSettings>();
  EXPECT_EQ(settings.shape().size(), 2u);
  EXPECT_EQ(settings.trunk_first, "free");
  EXPECT_EQ(settings.latent, 64);
  EXPECT_THROW(profile.parse("trunk_first=round"), UsageError);
  EXPECT_THROW(profile.parse("latent=0"), UsageError);
}

}  // namespace
}  // namespace alps

#include "alps/base/profile.h"

#include <gtest/gtest.h>

namespace alps {
namespace {

struct Sizes {
  int width = 256;
  double rate = 1e-3;
  bool norm = false;
  std::string loss = "square";
  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("width", s.width, Range{1, 8192}, "units of a hidden layer");
    visit("rate", s.rate, Range{1e-12, 10}, "learning rate");
    visit("norm", s.norm, Range{0, 1}, "layer norm after the first layer");
    visit("loss", s.loss, Choices{"square", "censored"}, "of the actions");
  }
};

Profile sizes() {
  Profile profile;
  profile.add<Sizes>("sizes");
  return profile;
}

std::string refused(const std::string& assignment) {
  Profile profile = sizes();
  try {
    profile.parse(assignment);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "taken";
}

TEST(Profile, GivesBackTheStructWithTheValuesOfTheTable) {
  Profile profile = sizes();
  for (const char* assignment : {"width=64", "rate=0.5", "norm=true", "loss=censored"}) profile.parse(assignment);
  const Sizes s = profile.get<Sizes>();
  EXPECT_EQ(s.width, 64);
  EXPECT_EQ(s.rate, 0.5);
  EXPECT_TRUE(s.norm);
  EXPECT_EQ(s.loss, "censored");
}

TEST(Profile, AUserHasTheLastWordAndEveryValueTellsWhereItCameFrom) {
  Profile profile = sizes();
  profile.set("width", 128, Origin::kPreset);
  profile.set("width", 96, Origin::kMeasured, "4 columns");
  EXPECT_EQ(profile.at("width").origin, Origin::kMeasured);
  EXPECT_EQ(profile.at("width").reason, "4 columns");
  profile.parse("width=32");
  profile.set("width", 96, Origin::kMeasured, "4 columns");
  EXPECT_EQ(profile.get<Sizes>().width, 32);
  EXPECT_EQ(profile.at("width").origin, Origin::kUser);
  EXPECT_EQ(profile.at("rate").origin, Origin::kDefault);
}

TEST(Profile, PutChangesOnlyWhatDiffers) {
  Profile profile = sizes();
  Sizes s;
  s.rate = 0.25;
  profile.put(s, Origin::kMeasured, "fast");
  EXPECT_EQ(profile.at("rate").origin, Origin::kMeasured);
  EXPECT_EQ(profile.at("width").origin, Origin::kDefault);
}

TEST(Profile, RefusesWithTheKeyAndARemedy) {
  EXPECT_EQ(refused("widht=3"), "no setting 'widht', did you mean 'width'?");
  EXPECT_EQ(refused("width=0"), "width: 0 is outside 1 .. 8192");
  EXPECT_EQ(refused("width=8193"), "width: 8193 is outside 1 .. 8192");
  EXPECT_EQ(refused("width=8192"), "taken");
  EXPECT_EQ(refused("width=2.5"), "width: '2.5' is not a whole number");
  EXPECT_EQ(refused("rate=nan"), "rate: nan is outside 1e-12 .. 10");
  EXPECT_EQ(refused("rate="), "rate: '' is not a number");
  EXPECT_EQ(refused("norm=maybe"), "norm: 'maybe' is neither true nor false");
  EXPECT_EQ(refused("loss=squire"), "loss: there is no 'squire', did you mean 'square'?; there are square, censored");
  EXPECT_EQ(refused("width"), "'width' is not of the form key=value");
}

TEST(Profile, GoesThroughJsonWithOriginsAndKeepsWhatItDoesNotKnow) {
  Profile profile = sizes();
  profile.parse("width=64");
  profile.set("rate", 0.125, Origin::kMeasured, "slow data");
  Profile read = sizes();
  read.read_json(profile.values_json(), profile.origins_json(), "config.json");
  EXPECT_EQ(read.values_json(), profile.values_json());
  EXPECT_EQ(read.origins_json(), profile.origins_json());

  Profile unknown;
  unknown.read_json(profile.values_json(), profile.origins_json(), "config.json");
  EXPECT_EQ(unknown.at("width").text(), "64");
  EXPECT_EQ(unknown.at("width").origin, Origin::kUser);
  EXPECT_EQ(unknown.values_json(), profile.values_json());
}

TEST(Profile, DamagedJsonIsAnErrorThatNamesTheFile) {
  Profile profile = sizes();
  EXPECT_THROW(profile.read_json("[]", "{}", "here"), Error);
  try {
    profile.read_json(R"({"width": "wide"})", "{}", "here/config.json");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "here/config.json: the setting 'width' is \"wide\", which has the wrong type");
  }
  EXPECT_THROW(profile.read_json(R"({"width": 0})", "{}", "here"), Error);
}

TEST(Profile, HelpHasALineForEveryField) {
  const std::string text = settings_help(sizes());
  for (const char* word : {"sizes", "width", "256", "units of a hidden layer", "square | censored"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace alps

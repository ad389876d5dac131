// config.json: what is written is what is read, and what is damaged is named.
#include "alps/run/run_config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../base/temp_folder.h"
#include "alps/base/file.h"
#include "alps/run/profiles.h"
#include "alps/run/regions.h"

namespace alps {
namespace {

using json = nlohmann::ordered_json;

RunConfig sample() {
  RunConfig c;
  c.method = "mine";
  c.preset = "paper";
  c.policy = "actor";
  c.planning = {"elite_ratio=0.2"};
  c.data_name = "walks";
  c.data_path = "/data/walks.npz";
  c.data_crc32 = "0badf00d";
  c.data_bytes = 5'000'000'000;
  c.survey = {.rows = 12, .episodes = 3, .columns = 2, .actions = 1, .range = {{2}, {}}, .pace = 0.25};
  c.seed = 18446744073709551615u;
  c.device = "cuda";
  c.precision = "bf16";
  c.threads = 7;
  c.profile = planning_profile();
  c.profile.set("clusters", 33, Origin::kMeasured, "the way");
  c.profile.parse("region_sizes=plain");
  c.versions = {{"alps", "1.2.3"}, {"torch", "2"}};
  return c;
}

TEST(RunConfig, RoundTrip) {
  const TempFolder folder;
  EXPECT_FALSE(has_run(folder / ""));
  save_run_config(folder / "", sample());
  EXPECT_TRUE(has_run(folder / ""));
  const RunConfig c = load_run_config(folder / ""), s = sample();
  EXPECT_EQ(c.method, "mine");
  EXPECT_EQ(c.preset, "paper");
  EXPECT_EQ(c.policy, "actor");
  EXPECT_EQ(c.planning, s.planning);
  EXPECT_EQ(c.data_name, "walks");
  EXPECT_EQ(c.data_path, "/data/walks.npz");
  EXPECT_EQ(c.data_crc32, "0badf00d");
  EXPECT_EQ(c.data_bytes, 5'000'000'000u);
  EXPECT_EQ(survey_json(c.survey), survey_json(s.survey));
  EXPECT_EQ(c.seed, s.seed);
  EXPECT_EQ(c.device, "cuda");
  EXPECT_EQ(c.precision, "bf16");
  EXPECT_EQ(c.threads, 7);
  EXPECT_EQ(c.versions, s.versions);
  EXPECT_EQ(c.profile.values_json(), s.profile.values_json());
  EXPECT_EQ(c.profile.origins_json(), s.profile.origins_json());
  EXPECT_EQ(c.settings<RegionSettings>().clusters, 33);
  EXPECT_EQ(c.profile.at("clusters").origin, Origin::kMeasured);
  EXPECT_EQ(c.profile.at("clusters").reason, "the way");
  EXPECT_TRUE(c.is("region_sizes", "plain"));
  EXPECT_FALSE(c.is("region_sizes", "even"));
  EXPECT_FALSE(c.is("no such setting", "plain"));
}

TEST(RunConfig, SettingsOfOthersAreKept) {
  const TempFolder folder;
  save_run_config(folder / "", sample());
  json root = json::parse(read_text(folder / "config.json"));
  root["settings"]["colour"] = "blue";
  folder.write("config.json", root.dump());
  const RunConfig c = load_run_config(folder / "");
  EXPECT_TRUE(c.is("colour", "blue"));
}

TEST(RunConfig, DamageIsNamed) {
  const TempFolder folder;
  const auto complaint = [&] { return error_of([&] { load_run_config(folder / ""); }); };
  EXPECT_NE(complaint().find("train a run first"), std::string::npos) << complaint();
  folder.write("config.json", "{\"format\": 2,");
  EXPECT_NE(complaint().find("damaged"), std::string::npos) << complaint();
  folder.write("config.json", "[2]");
  EXPECT_NE(complaint().find("damaged"), std::string::npos) << complaint();

  save_run_config(folder / "", sample());
  const json good = json::parse(read_text(folder / "config.json"));
  for (const auto& [key, value] : good.items()) {
    json lacks = good, wrong = good;
    lacks.erase(key);
    folder.write("config.json", lacks.dump());
    if (key == "trust")
      EXPECT_TRUE(load_run_config(folder / "").trust.empty());  // runs of before have none
    else
      EXPECT_NE(complaint().find("'" + key + "'"), std::string::npos) << key << ": " << complaint();
    wrong[key] = json::array({json::array()});  // nothing is a list of lists
    folder.write("config.json", wrong.dump());
    EXPECT_NE(complaint().find("config.json"), std::string::npos) << key;
  }
  for (const char* key : {"name", "path", "bytes", "crc32"}) {
    json lacks = good;
    lacks["data"].erase(key);
    folder.write("config.json", lacks.dump());
    EXPECT_NE(complaint().find("lacks '" + std::string(key) + "'"), std::string::npos) << complaint();
  }
  json older = good, newer = good;
  older["format"] = kRunFormat - 1;
  newer["format"] = kRunFormat + 1;
  folder.write("config.json", older.dump());
  EXPECT_NE(complaint().find("older alps"), std::string::npos);
  folder.write("config.json", newer.dump());
  EXPECT_NE(complaint().find("newer alps"), std::string::npos);
}

}  // namespace
}  // namespace alps

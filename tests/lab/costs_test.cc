// What runs cost: measured rows count as they are, others are scaled from the nearest and say so.
#include "alps/lab/costs.h"

#include <gtest/gtest.h>

#include "../base/temp_folder.h"
#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/collect/expert.h"
#include "alps/collect/recipe.h"

namespace fs = std::filesystem;
using namespace alps;

namespace {

// names by what they are, from the table of recipes
std::string name_of(const std::string& expert, Behaviour behaviour, size_t rows) {
  for (const Recipe& r : recipes())
    if (r.expert == expert && r.behaviour == behaviour && r.rows() / 1'000'000 == rows && missing_for(r).empty())
      return r.name;
  return "";
}

const std::string kPoint = name_of("point", Behaviour::kNavigate, 1), kAnt = name_of("ant", Behaviour::kNavigate, 1),
                  kExplore = name_of("ant", Behaviour::kExplore, 5), kStitch = name_of("ant", Behaviour::kStitch, 1);

Costs costs(const std::string& more = "") {
  const TempFolder folder;  // tests run side by side
  const fs::path file = folder / "costs_test.csv";
  write_text(file,
             "task,data_set,method,variant,preset,steps,core_minutes,source\n"
             "data," +
                 kPoint + ",,,,,1,x\ndata," + kAnt +
                 ",,,,,10,x\n"
                 "train," +
                 kPoint + ",alps,,fast,6000,2,x\ntrain," + kAnt +
                 ",alps,,fast,60000,8,x\n"
                 "train," +
                 kAnt +
                 ",alps,,paper,3000000,4000,x\n"
                 "episode," +
                 kAnt + ",alps,alps,fast,,0.1,x\nepisode," + kAnt +
                 ",alps,cem,fast,,0.5,x\n"
                 "regions," +
                 kAnt + ",,,,,3,x\n" + more);
  return Costs(file);
}

}  // namespace

TEST(Costs, AreMeasuredOrScaledFromTheNearest) {
  const Costs c = costs();
  EXPECT_DOUBLE_EQ(c.data({.data = kAnt}).core_minutes, 10);
  EXPECT_FALSE(c.data({.data = kAnt}).estimated);
  const Cost explore = c.data({.data = kExplore});
  EXPECT_TRUE(explore.estimated);
  EXPECT_NEAR(explore.core_minutes,
              10.0 * static_cast<double>(recipe(kExplore).rows()) / static_cast<double>(recipe(kAnt).rows()), 1e-9);
  EXPECT_NEAR(c.data({.data = kAnt, .data_episodes = 100}).core_minutes, 1, 1e-9);
  EXPECT_DOUBLE_EQ(c.training({.data = kStitch}).core_minutes, 8);
  EXPECT_TRUE(c.training({.data = kStitch}).estimated);
}

TEST(Costs, OfTrainingFollowPresetAndSteps) {
  const Costs c = costs();
  // another preset is further away than another body
  EXPECT_DOUBLE_EQ(c.training({.data = kPoint, .preset = "paper"}).core_minutes, 4000);
  EXPECT_DOUBLE_EQ(c.training({.data = kAnt,
                               .preset = "paper",
                               .set = {"model_steps=800000", "prior_steps=800000", "representation_steps=800000"}})
                       .core_minutes,
                   3200);
}

TEST(Costs, OfEvaluationsFollowEpisodesVariantAndRegions) {
  const Costs c = costs();
  const RunSpec run{.data = kAnt};
  EXPECT_NEAR(c.evaluation(run, {.variant = "alps", .episodes = 10}, 5).core_minutes, 5, 1e-9);
  EXPECT_NEAR(c.evaluation(run, {.variant = "cem", .episodes = 10, .tasks = {1, 2}}, 5).core_minutes, 10, 1e-9);
  EXPECT_NEAR(c.evaluation(run, {.variant = "alps", .episodes = 10, .clusters = 16}, 5).core_minutes, 8, 1e-9);
  EXPECT_FALSE(c.evaluation(run, {.variant = "alps", .episodes = 1}, 5).estimated);
  EXPECT_TRUE(c.evaluation(run, {.variant = "prior", .episodes = 1}, 5).estimated);
}

TEST(Costs, RefuseDamagedFiles) {
  EXPECT_THROW(costs("data," + kPoint + ",,,,,much,x\n"), Error);
  const TempFolder folder;
  const fs::path file = folder / "costs_wrong.csv";
  write_text(file, "task,data_set\ndata,x\n");
  EXPECT_THROW(Costs{file}, Error);
}

TEST(Costs, OfTheRepositoryCoverEveryKind) {
  const Costs c(fs::path(ALPS_SOURCE_DIR) / "reproduce" / "costs.csv");
  for (const Recipe& r : recipes()) {
    EXPECT_GT(c.data({.data = r.name}).core_minutes, 0);
    for (const char* preset : {"fast", "paper"}) {
      EXPECT_GT(c.training({.data = r.name, .preset = preset}).core_minutes, 0);
      EXPECT_GT(c.evaluation({.data = r.name, .preset = preset}, {.variant = "alps", .clusters = 4}, 5).core_minutes,
                0);
    }
  }
  EXPECT_GT(c.training({.data = kAnt, .preset = "paper"}).core_minutes, c.training({.data = kAnt}).core_minutes);
}

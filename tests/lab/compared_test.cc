// The paper's figures beside ours: which results count for which cell, once, and what is said of cells without any.
#include "alps/lab/compared.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"

using namespace alps;

namespace {

LedgerRow result(uint64_t seed, int successes, int episodes, const std::string& variant = "alps") {
  LedgerRow row;
  row.config = str("config", seed, variant, successes);
  row.data_set = "a";
  row.method = "alps";
  row.variant = variant;
  row.planner = "run";
  row.preset = "fast";
  row.seed = row.eval_seed = seed;
  row.episodes = episodes;
  row.successes = successes;
  row.per_task = {{successes, episodes / 2}, {0, episodes - episodes / 2}};
  row.finished = "2026-01-01";
  return row;
}

Exhibit table() {
  Exhibit e;
  e.name = e.published = "t";
  e.rows = {"data_set"};
  e.columns = {"variant"};
  e.protocol = {{.begins = "", .preset = "paper", .seeds = 8, .episodes = 50, .steps = {800, 900}}};
  return e;
}

Sweep sweep_of(std::vector<std::string> set = {}, std::string preset = "fast") {
  RunSpec run{.data = "a", .preset = std::move(preset), .set = std::move(set)};
  run.evals = {{.variant = "alps", .planner = "run"}};
  return {.runs = {run}, .left_out = {{"b", "needs an expert"}}};
}

PublishedFigure published(const std::string& data_set, double success, const std::string& method = "alps",
                          const std::string& setting = "") {
  return {.source = "paper",
          .table = "t",
          .data_set = data_set,
          .method = method,
          .variant = method == "alps" ? "alps" : "",
          .setting = setting,
          .success = success,
          .deviation = 5};
}

const Compared& cell(const std::vector<Compared>& all, const std::string& data_set, const std::string& method,
                     int task = 0) {
  const auto found = std::ranges::find_if(all, [&](const Compared& c) {
    return c.cell.data_set == data_set && c.cell.method == method && c.cell.task == task;
  });
  EXPECT_NE(found, all.end());
  return *found;
}

}  // namespace

TEST(Compared, CountsEachTrainingOnce) {
  // the same training evaluated twice with the same seed: the longer one holds the episodes of the shorter one
  const std::vector<LedgerRow> ledger = {result(0, 8, 10), result(0, 30, 40), result(1, 10, 10)};
  const auto all = compare(table(), sweep_of(), {published("a", 60)}, ledger);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].ours.size(), 1u);
  const Ours& ours = all[0].ours[0];
  EXPECT_EQ(ours.how, "fast");
  EXPECT_EQ(ours.successes, 40u);
  EXPECT_EQ(ours.episodes, 50u);
  EXPECT_EQ(ours.seeds, 2u);
  EXPECT_DOUBLE_EQ(ours.success(), 80);
  EXPECT_NEAR(*ours.deviation(), std::sqrt(2 * 12.5 * 12.5), 1e-9);  // of 75 and 100
  EXPECT_DOUBLE_EQ(*all[0].difference(), 20);
  EXPECT_TRUE(ours.interval().low > 60 && ours.interval().high < 100);
}

TEST(Compared, KeepsOthersApart) {
  LedgerRow other_setting = result(0, 1, 10), other_clusters = result(1, 1, 10), one_task = result(2, 1, 10),
            timed = result(3, 1, 10), other_preset = result(4, 5, 10), other_planner = result(5, 7, 10),
            other_data = result(6, 1, 10);
  other_setting.train_set = "eigenvectors=2";
  other_clusters.asked = "clusters=16";
  one_task.asked = "tasks=1";
  timed.asked = "budget_ms=20";
  other_preset.preset = "paper";
  other_preset.train_set = "model_steps=30 prior_steps=30 representation_steps=30";
  other_planner.planner = "paper";
  other_data.train_set = "data_episodes=20";
  const std::vector<LedgerRow> ledger = {other_setting, other_clusters, one_task,         timed,
                                         other_preset,  other_planner,  result(7, 9, 10), other_data};
  const auto all = compare(table(), sweep_of(), {published("a", 60)}, ledger);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].ours.size(), 3u);
  EXPECT_EQ(all[0].ours[0].how, "fast");  // what the table asks for is first
  EXPECT_EQ(all[0].ours[0].successes, 9u);
  EXPECT_EQ(all[0].ours[1].how, "fast, planner paper");
  EXPECT_EQ(all[0].ours[2].how, "paper, 30 steps");
}

TEST(Compared, JoinsTheCheckpointsOfTheProtocol) {
  std::vector<LedgerRow> ledger;
  for (const char* steps : {"800", "900", "700"}) {
    LedgerRow row = result(0, 5, 10);
    row.preset = "paper";
    row.train_set = str("model_steps=", steps, " prior_steps=", steps, " representation_steps=", steps);
    ledger.push_back(row);
  }
  const auto all =
      compare(table(), sweep_of({"model_steps=800", "prior_steps=800", "representation_steps=800"}, "paper"),
              {published("a", 60)}, ledger);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].ours.size(), 2u);
  EXPECT_EQ(all[0].ours[0].how, "protocol of the paper");
  EXPECT_EQ(all[0].ours[0].episodes, 20u);
  EXPECT_EQ(all[0].ours[0].seeds, 1u);
  EXPECT_EQ(all[0].ours[1].how, "paper, 700 steps");
}

TEST(Compared, SaysWhatIsMissing) {
  const auto all =
      compare(table(), sweep_of(), {published("a", 60), published("b", 40), published("a", 9, "hiql")}, {});
  EXPECT_TRUE(cell(all, "a", "alps").planned);
  EXPECT_TRUE(cell(all, "a", "alps").ours.empty());
  EXPECT_EQ(cell(all, "a", "alps").missing, "");
  EXPECT_EQ(cell(all, "b", "alps").missing, "needs an expert");
  EXPECT_FALSE(cell(all, "a", "hiql").planned);
  EXPECT_FALSE(cell(all, "a", "hiql").difference().has_value());
}

TEST(Compared, SplitsTasks) {
  const auto all =
      compare(table(), sweep_of(),
              {published("a", 60), published("a", 90, "alps", "task=1"), published("a", 30, "alps", "task=2")},
              {result(0, 4, 10)});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_DOUBLE_EQ(cell(all, "a", "alps").first()->success(), 40);
  EXPECT_DOUBLE_EQ(cell(all, "a", "alps", 1).first()->success(), 80);
  EXPECT_DOUBLE_EQ(cell(all, "a", "alps", 2).first()->success(), 0);
  EXPECT_TRUE(cell(all, "a", "alps", 2).planned);
}

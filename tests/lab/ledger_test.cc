// The ledger: what is found where, what counts once, what damage says.
#include "alps/lab/ledger.h"

#include <gtest/gtest.h>

#include "alps/base/version.h"
#include "alps/lab/result_file.h"
#include "ledger_files.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

std::vector<LedgerRow> rows_in(const std::vector<fs::path>& paths) { return read_ledger(paths).rows; }

TEST(Ledger, AResultAsARow) {
  const TempFolder folder;
  const fs::path file =
      make_result(folder / "run", {.train_set = {"reach_steps=7"}, .set = {"sigma=0.1", "samples=9"}});
  EXPECT_TRUE(is_result_name(file));
  write_text(folder / "run" / "train.csv", "part,step,time/total_time\nmodel,10,12.5\nprior,20,31.25\n");
  make_result(folder / "run", {.train_set = {"reach_steps=7"}, .set = {"sigma=0.1", "samples=9"}});
  const LedgerRow row = read_result_file(file);
  EXPECT_EQ(row.config, file.stem());
  EXPECT_EQ(row.data_set, "line-v0");
  EXPECT_EQ(row.method, "alps");
  EXPECT_EQ(row.variant, "alps");
  EXPECT_EQ(row.preset, "fast");
  EXPECT_EQ(row.planner, "fast");  // the run's own, so its preset's
  EXPECT_EQ(row.seed, 3u);
  EXPECT_EQ(row.eval_seed, 7u);
  EXPECT_EQ(row.train_set, "reach_steps=7");
  EXPECT_EQ(row.set, "sigma=0.1 samples=9");
  EXPECT_EQ(row.asked, "tasks=1,3 clusters=5");
  EXPECT_EQ(row.clusters, 5);
  EXPECT_EQ(row.backend, "native");
  EXPECT_EQ(row.episodes, 5);
  EXPECT_EQ(row.successes, 4);
  EXPECT_EQ(ledger_cell(row, "per_task"), "3/4 1/1");
  EXPECT_EQ(row.mean_steps, (10 + 11 + 12 + 14) / 4.0);
  EXPECT_EQ(row.decision_ms, 2);
  EXPECT_EQ(row.seconds, 1.5);
  EXPECT_EQ(row.train_seconds, 31.25);
  EXPECT_EQ(row.version, ALPS_VERSION_STRING);
  EXPECT_EQ(row.command, "alps eval 'my run' --tasks 1,3 --clusters 5");
  EXPECT_EQ(row.finished, "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(row.where, file);
  // settings that the user gave are columns too
  EXPECT_EQ(ledger_cell(row, "reach_steps"), "7");
  EXPECT_EQ(ledger_cell(row, "samples"), "9");
  EXPECT_EQ(ledger_cell(row, "tasks"), "1,3");
  EXPECT_EQ(ledger_cell(row, "sigm"), "");
  EXPECT_EQ(ledger_columns().size(), 25u);
}

TEST(Ledger, ResultsOfVersion010) {
  // without what the user set in training, and without the weights in the configuration
  const TempFolder folder;
  const fs::path file = make_result(folder / "run");
  auto root = nlohmann::ordered_json::parse(read_text(file));
  root.erase("training");
  root["configuration"].erase("model_crc32");
  write_text(file, root.dump(1) + "\n");
  const LedgerRow row = read_result_file(file);
  EXPECT_EQ(row.train_set, "");
  EXPECT_TRUE(std::isnan(row.train_seconds));
  EXPECT_EQ(row.successes, 4);
}

TEST(Ledger, FormattedByOthers) {
  // one line, other order of keys: read whole
  const TempFolder folder;
  const fs::path file = make_result(folder / "run");
  const LedgerRow before = read_result_file(file);
  write_text(file, nlohmann::json::parse(read_text(file)).dump());
  EXPECT_EQ(read_result_file(file).successes, before.successes);
  EXPECT_EQ(read_result_file(file).config, before.config);
}

TEST(Ledger, FoldersOfAllKinds) {
  const TempFolder folder;
  const fs::path lab = folder / "lab";
  const fs::path one = make_result(lab / "runs/one", {.seed = 1}), two = make_result(lab / "runs/two", {.seed = 2});
  fs::create_directories(lab / "ledger");
  fs::copy_file(one, lab / "ledger" / one.filename());
  // files that are none: another folder's JSON of that shape, a run's own files
  fs::create_directories(lab / "tasks");
  fs::copy_file(one, lab / "tasks" / "0123456789abcdef.json");
  write_text(lab / "runs/one/config.json", "{}");
  write_text(lab / "runs/one/eval.csv", "config,method\n1,2\n");
  EXPECT_EQ(rows_in({lab}).size(), 2u);
  EXPECT_EQ(rows_in({lab / "runs/one"}).size(), 1u);
  EXPECT_EQ(rows_in({lab / "ledger"}).size(), 1u);
  EXPECT_EQ(rows_in({lab / "runs/two/results"}).size(), 1u);
  EXPECT_EQ(rows_in({two}).size(), 1u);
  EXPECT_EQ(rows_in({one, two, lab}).size(), 2u);
  EXPECT_EQ(rows_in({lab / "tasks"}).size(), 1u);  // named itself
  EXPECT_NE(error_of([&] { rows_in({folder / "nowhere"}); }).find("no such file"), std::string::npos);
}

TEST(Ledger, TheSameHashCountsOnce) {
  const TempFolder folder;
  const fs::path old = make_result(folder / "a", {.finished = "2026-01-01T00:00:00.000Z", .successes = 1});
  const fs::path young = make_result(folder / "b", {.finished = "2026-01-02T00:00:00.000Z", .successes = 2});
  ASSERT_EQ(old.filename(), young.filename());
  using Paths = std::vector<fs::path>;
  for (const Paths& paths : {Paths{old, young}, Paths{young, old}, Paths{folder / ""}}) {
    const std::vector<LedgerRow> rows = rows_in(paths);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].successes, 3);
  }
}

TEST(Ledger, NewestOfEachQuestion) {
  const TempFolder folder;
  // the same question answered again with more episodes; another seed; another setting
  make_result(folder / "a", {.finished = "2026-01-02T00:00:00.000Z", .successes = 4, .episodes = 8});
  make_result(folder / "b", {.finished = "2026-01-01T00:00:00.000Z"});
  make_result(folder / "c", {.seed = 4});
  make_result(folder / "d", {.train_set = {"reach_steps=7"}});
  const std::vector<LedgerRow> all = rows_in({folder / ""});
  EXPECT_EQ(all.size(), 4u);
  const std::vector<LedgerRow> newest = newest_of_each_question(all);
  ASSERT_EQ(newest.size(), 3u);
  size_t eights = 0;
  for (const LedgerRow& row : newest) eights += row.episodes == 9;
  EXPECT_EQ(eights, 1u);
  EXPECT_TRUE(std::ranges::is_sorted(newest, {}, &LedgerRow::finished));
}

TEST(Ledger, DamageIsSaidOrSkipped) {
  const TempFolder folder;
  const fs::path file = make_result(folder / "run"), other = make_result(folder / "other", {.seed = 9});
  const std::string text = read_text(file);
  auto edited = nlohmann::ordered_json::parse(text);
  edited["totals"]["successes"] = 99;
  auto huge = nlohmann::ordered_json::parse(text);
  huge["totals"]["episodes"] = 1e300;
  for (const std::string& broken :
       {text.substr(0, 200), text.substr(0, text.size() - 40), std::string("{}"), std::string("[1]"), std::string(),
        std::string(20000, 'x'), edited.dump(1) + "\n", huge.dump(1) + "\n"}) {
    write_text(file, broken);
    const std::vector<fs::path> paths = {folder / ""};
    const std::string told = error_of([&] { read_ledger(paths); });
    EXPECT_NE(told.find(file.filename().string() + " is damaged"), std::string::npos) << broken.substr(0, 80);
    EXPECT_NE(told.find("--skip_damaged"), std::string::npos);
    const Ledger rest = read_ledger(paths, {.skip_damaged = true});
    EXPECT_EQ(rest.rows.size(), 1u);
    ASSERT_EQ(rest.damaged.size(), 1u);
    EXPECT_NE(rest.damaged[0].find(file.filename().string()), std::string::npos);
  }
}

// whatever the bytes are, a file is read or refused with words
TEST(Ledger, MutatedFiles) {
  const TempFolder folder;
  const std::string text = read_text(make_result(folder / "run"));
  Rng rng(1);
  size_t refused = 0;
  for (int trial = 0; trial < 600; ++trial) {
    std::string broken = text;
    for (uint64_t n = 1 + rng.below(3); n > 0; --n) {
      const size_t at = rng.below(broken.size());
      if (rng.below(4) == 0)
        broken.erase(at, rng.below(30));
      else
        broken[at] = trial % 2 == 0 ? static_cast<char>(rng.below(256)) : "{}[],:\"0e-9"[rng.below(11)];
    }
    const fs::path path = folder.write("0123456789abcdef.json", broken);
    const std::string told = error_of([&] { read_result_file(path); });
    if (!told.empty()) {
      ++refused;
      EXPECT_NE(told.find("is damaged"), std::string::npos) << told;
    }
  }
  EXPECT_GT(refused, 100u);
  EXPECT_LT(refused, 600u);
}

TEST(Ledger, ThreadsMakeNoDifference) {
  const TempFolder folder;
  for (uint64_t seed = 0; seed < 12; ++seed) make_result(folder / "run", {.seed = seed});
  const std::vector<fs::path> paths = {folder / ""};
  const auto one = read_ledger(paths, {.threads = 1}).rows, four = read_ledger(paths, {.threads = 4}).rows;
  ASSERT_EQ(one.size(), 12u);
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(one[i].config, four[i].config);
}

}  // namespace
}  // namespace alps

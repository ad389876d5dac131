// CSV ledgers of all versions, from lines as they stand in results/.
#include "alps/lab/csv_ledger.h"

#include <gtest/gtest.h>

#include "../base/temp_folder.h"
#include "alps/base/file.h"
#include "alps/lab/ledger.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

LedgerRow one_row(const std::string& header, const std::string& line) {
  const TempFolder folder;
  write_text(folder / "a.csv", header + "\n" + line + "\n");
  EXPECT_TRUE(is_csv_ledger(folder / "a.csv"));
  const std::vector<LedgerRow> rows = read_csv_ledger(folder / "a.csv");
  EXPECT_EQ(rows.size(), 1u);
  return rows.at(0);
}

TEST(CsvLedger, OfEvalResults) {
  const LedgerRow r = one_row(
      "config,data_set,method,variant,planner,train_preset,seed,eval_seed,clusters,set,budget_ms,backend,episodes,"
      "successes,"
      "success,low,high,per_task,mean_steps,decision_ms,version,commit,command",
      "87cf8952bee94650,line-v0,alps,cem,run,paper,2,5,64,sigma=0.1,2.5,ogbench,20,7,0.35,0.2,0.6,5/10 "
      "2/10,356.7,0.5,0.1.0,"
      "86b5626,\"alps eval 'a, b' --variant cem --planner run --episodes 10 --seed 5 --budget_ms 2.5 --set "
      "sigma=0.1\"");
  EXPECT_EQ(r.config, "87cf8952bee94650");
  EXPECT_EQ(r.variant, "cem");
  EXPECT_EQ(r.preset, "paper");
  EXPECT_EQ(r.planner, "paper");
  EXPECT_EQ(r.seed, 2u);
  EXPECT_EQ(r.eval_seed, 5u);
  EXPECT_EQ(r.clusters, 64);
  EXPECT_EQ(r.set, "sigma=0.1");
  EXPECT_EQ(r.asked, "budget_ms=2.5");
  EXPECT_EQ(r.backend, "ogbench");
  EXPECT_EQ(r.per_task, (std::vector<std::pair<int, int>>{{5, 10}, {2, 10}}));
  EXPECT_EQ(r.mean_steps, 356.7);
  EXPECT_EQ(r.decision_ms, 0.5);
  EXPECT_EQ(r.commit, "86b5626");
}

TEST(CsvLedger, OfEarlierVersions) {
  const std::string header =
      "data_set,variant,planner,train_preset,seed,clusters,episodes,successes,success,low,high,per_task,mean_steps,"
      "decision_ms,version,commit,command";
  const LedgerRow r =
      one_row(header,
              "maze-v0,dijkstra+cem,fast,fast method=pclast,1,16,100,88,0.88,0.8,0.9,88/100,6.2,5.3,0.1.0,"
              "5b8ccf7,alps eval runs/x --variant dijkstra+cem --planner fast --episodes 100 --seed 4 "
              "--clusters 16 --tasks 2");
  EXPECT_EQ(r.method, "pclast");
  EXPECT_EQ(r.preset, "fast");
  EXPECT_EQ(r.planner, "fast");
  EXPECT_EQ(r.asked, "clusters=16 tasks=2");
  EXPECT_EQ(r.eval_seed, 4u);
  EXPECT_EQ(r.backend, "native");
  EXPECT_EQ(r.config, "");
}

TEST(CsvLedger, OfTrials) {
  const LedgerRow ablation = one_row("what,value,data_set,variant,seed,episodes,successes,mean_steps,commit,command",
                                     "eigenvectors,8,maze-v0,alps,0,25,19,865.9,f8c8877,alps eval runs/y --variant "
                                     "alps --episodes 5 --seed 0 --threads 1");
  EXPECT_EQ(ablation.train_set, "eigenvectors=8");
  EXPECT_EQ(ledger_cell(ablation, "eigenvectors"), "8");
  EXPECT_EQ(ablation.method, "alps");
  EXPECT_EQ(ablation.planner, "fast");
  EXPECT_TRUE(std::isnan(ablation.decision_ms));
  const LedgerRow regions = one_row("what,value,data_set,variant,seed,episodes,successes,mean_steps,commit,command",
                                    "clusters,32,maze-v0,alps,0,25,22,507.9,8bd0dfc,alps eval runs/y --variant alps "
                                    "--episodes 5 --seed 0 --clusters 32");
  EXPECT_EQ(regions.train_set, "");
  EXPECT_EQ(regions.clusters, 32);
  const LedgerRow trade = one_row("data_set,setting,part,episodes,successes,mean_steps,decisions,cpu_ms,commit,command",
                                  "maze-v0,6 x 5 x 1,0,5,4,255.2,1276,0.323,d46bfa3,alps eval runs/z --planner fast "
                                  "--episodes 1 --seed 1000 --threads 1 "
                                  "--set samples=6 --set horizon=5");
  EXPECT_EQ(trade.set, "samples=6 horizon=5");
  EXPECT_EQ(trade.asked, "setting=6x5x1");
  EXPECT_EQ(trade.eval_seed, 1000u);
  EXPECT_EQ(trade.variant, "alps");
}

TEST(CsvLedger, WhatIsNone) {
  const TempFolder folder;
  write_text(folder / "other.csv", "a,b\n1,2\n");
  EXPECT_FALSE(is_csv_ledger(folder / "other.csv"));
  EXPECT_NE(error_of([&] { read_csv_ledger(folder / "other.csv"); }).find("is no ledger"), std::string::npos);
  for (const char* counts : {"0,0", "5,6", "5,", ",", "x,1", "-3,1", "5,-1", "nan,1", "1e300,1e301"}) {
    write_text(folder / "bad.csv", std::string("data_set,episodes,successes,command\nm,9,9,c\nm,") + counts + ",c\n");
    EXPECT_NE(error_of([&] { read_csv_ledger(folder / "bad.csv"); }).find("bad.csv, row 2"), std::string::npos)
        << counts;
  }
}

TEST(CsvLedger, InFolders) {
  const TempFolder folder;
  const std::string header = "data_set,episodes,successes,command\n";
  write_text(folder / "results/now.csv", header + "m,9,8,alps eval r --seed 1\n");
  write_text(folder / "results/now-earlier.csv", header + "m,9,1,alps eval r --seed 1\n");
  write_text(folder / "results/else.csv", "a,b\n1,2\n");
  const std::vector<fs::path> whole = {folder / "results"}, earlier = {folder / "results/now-earlier.csv"};
  ASSERT_EQ(read_ledger(whole).rows.size(), 1u);
  EXPECT_EQ(read_ledger(whole).rows[0].successes, 8);
  EXPECT_EQ(read_ledger(earlier).rows[0].successes, 1);
}

// all that was ever measured can be read
TEST(CsvLedger, TheCommittedOnes) {
  const fs::path folder = fs::path(ALPS_SOURCE_DIR) / "results";
  size_t rows = 0, files = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".csv") {
      ++files;
      rows += read_csv_ledger(entry.path()).size();
    }
  EXPECT_GE(files, 10u);
  EXPECT_GE(rows, 591u);
}

}  // namespace
}  // namespace alps

// Comparisons of methods over data sets, the paper's among them, and their profiles as a picture.
#include "alps/lab/comparison.h"

#include <gtest/gtest.h>

#include "../base/temp_folder.h"
#include "alps/base/csv_file.h"
#include "alps/base/file.h"

namespace alps {
namespace {

LedgerRow row(const std::string& data_set, const std::string& method, const std::string& variant, uint64_t seed,
              int successes) {
  LedgerRow r;
  r.data_set = data_set;
  r.method = method;
  r.variant = variant;
  r.seed = seed;
  r.successes = successes;
  r.episodes = 10;
  return r;
}

const std::vector<LedgerRow> kRows = {row("a", "alps", "alps", 0, 10), row("a", "alps", "alps", 0, 8),
                                      row("a", "alps", "alps", 1, 7),  row("b", "alps", "alps", 0, 5),
                                      row("a", "gcbc", "", 0, 2),      row("b", "gcbc", "", 0, 5),
                                      row("c", "gcbc", "", 0, 1),      row("d", "pclast", "cem", 0, 1)};

TEST(Comparison, ContestantsHaveAScoreForEachSeed) {
  const std::vector<Contestant> all = measured_contestants(kRows, {});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "alps");
  EXPECT_EQ(all[0].scores.at("a"), (std::vector<double>{90, 70}));  // 18 of 20, 7 of 10
  EXPECT_EQ(all[1].name, "gcbc");
  EXPECT_EQ(all[2].name, "pclast cem");
  EXPECT_EQ(measured_contestants(kRows, {"seed", "method"})[0].name, "0 alps");
}

TEST(Comparison, OnTheDataSetsThatBothHave) {
  const std::vector<Comparison> all = compare(measured_contestants(kRows, {}), "alps", Rng(0));
  ASSERT_EQ(all.size(), 1u);  // pclast shares none
  const Comparison& c = all[0];
  EXPECT_EQ(c.name, "gcbc");
  EXPECT_EQ(c.data_sets, 2u);
  EXPECT_EQ(c.better, 1u);
  EXPECT_EQ(c.equal, 1u);
  EXPECT_EQ(c.worse, 0u);
  EXPECT_DOUBLE_EQ(c.first_mean.value, (80 + 50) / 2.0);
  EXPECT_DOUBLE_EQ(c.mean.value, (20 + 50) / 2.0);
  EXPECT_DOUBLE_EQ(c.improvement.value, 0.75);
  EXPECT_DOUBLE_EQ(c.test.p, 1);
  EXPECT_NE(error_of([&] { compare(measured_contestants(kRows, {}), "hiql", Rng(0)); }).find("alps; gcbc; pclast cem"),
            std::string::npos);
}

TEST(Comparison, ThePapersTests) {
  const std::filesystem::path folder = std::filesystem::path(ALPS_SOURCE_DIR) / "reproduce";
  const auto contestants = published_contestants(figures_of(read_published(folder), "ogbench_results"));
  const std::vector<Comparison> all = compare(contestants, "alps, paper", Rng(0), {.resamples = 10});
  const CsvFile tests = read_csv(folder / "published_tests.csv");
  ASSERT_EQ(all.size(), tests.rows.size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].name, tests.text(i, tests.find("against")) + ", paper");
    EXPECT_EQ(all[i].data_sets, 39u);
    EXPECT_NEAR(all[i].p, tests.number(i, tests.find("p_value")), 0.5e-6);
  }
  const Grid grid = comparison_grid(all, "alps, paper");
  EXPECT_EQ(grid.rows[5][0], "hiql, paper");
  EXPECT_EQ(grid.rows[5][2], "31, 1, 7");
  EXPECT_EQ(grid.rows[5].back(), "0.000031");
}

TEST(Comparison, FiguresOfSingleTasksAreLeftOut) {
  const auto all = published_contestants({{.data_set = "a", .method = "m", .setting = "task=1", .success = 1},
                                          {.data_set = "a", .method = "m", .setting = "eigenvectors=2", .success = 2},
                                          {.data_set = "a", .method = "m", .clusters = "16", .success = 3}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "m eigenvectors=2, paper");
  EXPECT_EQ(all[1].name, "m clusters=16, paper");
}

TEST(Comparison, ProfilesAreDrawn) {
  const TempFolder folder;
  std::vector<Contestant> all = measured_contestants(kRows, {});
  EXPECT_NE(error_of([&] { draw_profiles(folder / "p.svg", all, Rng(0)); }).find("no data set is shared"),
            std::string::npos);
  EXPECT_NE(error_of([&] { draw_profiles(folder / "p.svg", {}, Rng(0)); }).find("no data set is shared"),
            std::string::npos);
  all.pop_back();
  draw_profiles(folder / "p.svg", all, Rng(0), {.resamples = 50});
  const std::string svg = read_text(folder / "p.svg");
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace alps

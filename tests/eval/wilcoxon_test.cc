// The signed-rank test by hand, and the paper's table of tests from the paper's table of results.
#include "alps/eval/wilcoxon.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "alps/base/csv_file.h"

namespace alps {
namespace {

SignedRanks of(const std::vector<double>& differences) {
  return wilcoxon(differences, std::vector<double>(differences.size(), 0.0));
}

TEST(Wilcoxon, ByHand) {
  // ranks 1 2 3, all positive: one of eight choices of signs on each side
  SignedRanks r = of({1, 2, 3});
  EXPECT_EQ(r.plus, 6);
  EXPECT_EQ(r.minus, 0);
  EXPECT_TRUE(r.exact);
  EXPECT_DOUBLE_EQ(r.p, 2.0 / 8);
  // rank sums 0..6 have 1 1 1 2 1 1 1 of the eight
  r = of({-1, 2, 3});
  EXPECT_DOUBLE_EQ(r.p, 4.0 / 8);
  r = of({1, 2, -3});
  EXPECT_DOUBLE_EQ(r.p, 1);
  // ties share ranks: 1.5 1.5 3; sums 0 1.5 1.5 3 3 4.5 4.5 6
  r = of({1, -1, 2});
  EXPECT_EQ(r.plus, 4.5);
  EXPECT_DOUBLE_EQ(r.p, 6.0 / 8);
  // equal pairs say nothing
  r = of({0, 5, 0});
  EXPECT_EQ(r.pairs, 1u);
  EXPECT_DOUBLE_EQ(r.p, 1);
  EXPECT_DOUBLE_EQ(of({0, 0}).p, 1);
  EXPECT_DOUBLE_EQ(of({}).p, 1);
}

TEST(Wilcoxon, RoundingMakesNoDifference) {
  const std::vector<double> x = {0.98, 0.93, 0.5}, y = {0.95, 0.90, 0.7};
  const SignedRanks r = wilcoxon(x, y);
  EXPECT_EQ(r.plus, 3);  // 1.5 + 1.5: both are 0.03
  EXPECT_EQ(r.minus, 3);
}

TEST(Wilcoxon, ManyPairsAreNormal) {
  std::vector<double> differences;
  for (int i = 1; i <= 51; ++i) differences.push_back(i % 3 == 0 ? -i : i);
  const SignedRanks many = of(differences);
  EXPECT_FALSE(many.exact);
  differences.pop_back();
  EXPECT_TRUE(of(differences).exact);
  differences.resize(14);
  differences[0] = 2;
  EXPECT_FALSE(of(differences).exact);  // a tie
}

TEST(Holm, ByHand) {
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
  // sorted 0.005 0.01 0.03 0.04, times 4 3 2 1
  const std::vector<double> adjusted = holm_bonferroni(p);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);  // not below the one before
  EXPECT_DOUBLE_EQ(holm_bonferroni(std::vector<double>{0.7, 0.6})[0], 1);
  EXPECT_TRUE(holm_bonferroni({}).empty());
}

// from tab:ogbench_results to tab:stat_tests, to all of its printed digits
TEST(Wilcoxon, ThePapersTable) {
  const std::filesystem::path folder = std::filesystem::path(ALPS_SOURCE_DIR) / "reproduce";
  const CsvFile cells = read_csv(folder / "published.csv"), tests = read_csv(folder / "published_tests.csv");
  std::map<std::string, std::map<std::string, double>> scores;  // method, data set
  for (size_t i = 0; i < cells.rows.size(); ++i)
    if (cells.text(i, cells.find("table")) == "ogbench_results")
      scores[cells.text(i, cells.find("method"))][cells.text(i, cells.find("data_set"))] =
          cells.number(i, cells.find("success"));
  ASSERT_EQ(tests.rows.size(), 6u);
  std::vector<double> p;
  for (size_t i = 0; i < tests.rows.size(); ++i) {
    std::vector<double> x, y;
    for (const auto& [data_set, score] : scores["alps"]) {
      x.push_back(score);
      y.push_back(scores[tests.text(i, tests.find("against"))].at(data_set));
    }
    ASSERT_EQ(x.size(), 39u);
    const SignedRanks one = wilcoxon(x, y);
    EXPECT_FALSE(one.exact);
    p.push_back(one.p);
  }
  const std::vector<double> adjusted = holm_bonferroni(p);
  for (size_t i = 0; i < tests.rows.size(); ++i) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6f", adjusted[i]);
    EXPECT_EQ(text, tests.text(i, tests.find("p_value"))) << tests.text(i, tests.find("against"));
  }
}

}  // namespace
}  // namespace alps

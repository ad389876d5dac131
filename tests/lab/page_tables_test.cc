// The tables of the reproduction page: what a reader sees of cells that were measured, were not, or cannot be.
#include "alps/lab/page_tables.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alps/base/file.h"

namespace fs = std::filesystem;
using namespace alps;

namespace {

Exhibit table() {
  Exhibit e;
  e.rows = {"data_set"};
  e.columns = {"method"};
  return e;
}

Ours measured(size_t successes, size_t episodes, const std::string& how = "fast") {
  Ours ours{.how = how, .successes = successes, .episodes = episodes, .seeds = 1};
  ours.runs[{0, ""}] = {successes, episodes};
  return ours;
}

Compared compared(const std::string& data_set, const std::string& method, double paper, std::vector<Ours> ours,
                  bool planned, const std::string& missing = "") {
  Compared c{.cell = {data_set, method, method == "alps" ? "alps" : ""},
             .ours = std::move(ours),
             .planned = planned,
             .missing = missing};
  if (std::isfinite(paper)) c.paper = PublishedFigure{.success = paper, .deviation = 3};
  return c;
}

const std::vector<Compared> kCells = {
    compared("a", "other", 30, {}, false),
    compared("a", "alps", 80, {measured(95, 100), measured(1, 2, "paper")}, true),
    compared("b", "other", 40, {}, false),
    compared("b", "alps", 70, {}, true),
    compared("c", "other", 50, {}, false),
    compared("c", "alps", 60, {}, false, "needs an expert"),
};

}  // namespace

TEST(PageTables, FiguresAsText) {
  EXPECT_EQ(percent_text(97.25), "97.2");
  EXPECT_EQ(percent_text(100), "100");
  EXPECT_EQ(percent_text(-0.01), "0");
  EXPECT_EQ(p_text(0.0000312), "0.000031");
  EXPECT_EQ(p_text(0.0312), "0.031");
  EXPECT_EQ(p_text(1e-9), "< 0.000001");
  EXPECT_EQ(p_text(NAN), "-");
}

TEST(PageTables, PivotShowsOursFirstAndSaysWhatIsMissing) {
  const ReportTable pivot = pivot_table(table(), kCells);
  EXPECT_EQ(pivot.header, (std::vector<std::string>{"data set", "alps", "other, paper"}));
  ASSERT_EQ(pivot.rows.size(), 3u);
  EXPECT_EQ(pivot.rows[0][1].text, "95 (+15)");
  EXPECT_EQ(pivot.rows[0][1].note, "paper 80 \u00b1 3");
  EXPECT_EQ(pivot.rows[0][1].tone, ReportCell::Tone::kGood);
  EXPECT_EQ(pivot.rows[0][2].text, "30 \u00b1 3");
  EXPECT_EQ(pivot.rows[1][1].note, "paper 70 \u00b1 3, not measured");
  EXPECT_EQ(pivot.rows[2][1].note, "paper 60 \u00b1 3, not possible yet");
  EXPECT_EQ(pivot.rows[2][2].text, "50 \u00b1 3");
}

TEST(PageTables, TonesFollowTheInterval) {
  const auto tone = [](double paper, size_t successes) {
    return pivot_table(table(), {compared("a", "alps", paper, {measured(successes, 100)}, true)}).rows[0][1].tone;
  };
  EXPECT_EQ(tone(0, 0), ReportCell::Tone::kPlain);
  EXPECT_EQ(tone(100, 100), ReportCell::Tone::kPlain);
  EXPECT_EQ(tone(50, 55), ReportCell::Tone::kPlain);
  EXPECT_EQ(tone(50, 70), ReportCell::Tone::kGood);
  EXPECT_EQ(tone(50, 30), ReportCell::Tone::kBad);
}

TEST(PageTables, RowByRowHasEveryWay) {
  const ReportTable rows = long_table({}, table(), kCells);
  ASSERT_EQ(rows.rows.size(), 4u);  // two ways for a, one line each for b and c; nothing of the other method
  const std::vector<std::string> head = {"data set",   "variant",       "made with", "paper",    "here",
                                         "difference", "95 % interval", "seeds",     "episodes", "report"};
  EXPECT_EQ(rows.header, head);
  EXPECT_EQ(rows.rows[0][2].text, "fast");
  EXPECT_EQ(rows.rows[0][4].text, "95");
  EXPECT_EQ(rows.rows[0][5].text, "+15");
  EXPECT_EQ(rows.rows[0][6].text, "88.8 to 97.8");
  EXPECT_EQ(rows.rows[0][8].text, "100");
  EXPECT_EQ(rows.rows[1][2].text, "paper");
  EXPECT_EQ(rows.rows[2][2].text, "not measured");
  EXPECT_EQ(rows.rows[3][2].text, "not possible yet: needs an expert");
  EXPECT_FALSE(rows.folded.empty());
}

TEST(PageTables, FactsCountAndTest) {
  using Facts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(facts_of(kCells), (Facts{{"cells measured", "1 of 2"},
                                     {"not possible yet", "1"},
                                     {"ALPS here, mean", "95 %"},
                                     {"the same in the paper", "80 %"}}));
  std::vector<Compared> six;
  for (size_t i = 0; i < 6; ++i)
    six.push_back(compared(std::string(1, static_cast<char>('a' + i)), "alps", 50, {measured(60 + i, 100)}, true));
  EXPECT_EQ(facts_of(six).back().second, "0.031");  // 2 / 2^6
}

TEST(PageTables, LinksLeadBelowThePageOnly) {
  const fs::path folder = fs::path(testing::TempDir()) / "page_links";
  write_text(folder / "lab/runs/a/report.html", "x");
  PageSource source;
  source.page = folder / "lab/reproduce.html";
  EXPECT_EQ(report_link(source, folder / "lab/runs/a"), "runs/a/report.html");
  EXPECT_EQ(report_link(source, folder / "lab/runs/b"), "");
  EXPECT_EQ(report_link(source, {}), "");
  source.page = folder / "docs/reproduce.html";
  EXPECT_EQ(report_link(source, folder / "lab/runs/a"), "");
  fs::remove_all(folder);
}

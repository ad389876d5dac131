// Tables over made-up rows: filters, pivots, published figures beside them, the three forms, marks in documents.
#include "alps/lab/table.h"

#include <gtest/gtest.h>

#include "../base/temp_folder.h"
#include "alps/base/csv_file.h"
#include "alps/base/file.h"
#include "alps/lab/marks.h"

namespace alps {
namespace {

LedgerRow row(const std::string& data_set, const std::string& variant, uint64_t seed, int successes, int episodes,
              double steps = 100) {
  LedgerRow r;
  r.data_set = data_set;
  r.method = "alps";
  r.variant = variant;
  r.planner = r.preset = "fast";
  r.seed = seed;
  r.successes = successes;
  r.episodes = episodes;
  r.mean_steps = steps;
  r.decision_ms = 2;
  return r;
}

const std::vector<LedgerRow> kRows = {row("b-v0", "alps", 0, 9, 10, 100), row("b-v0", "alps", 1, 6, 10, 200),
                                      row("b-v0", "cem", 0, 0, 10), row("a-v0", "alps", 0, 10, 10, 50)};

std::vector<PublishedFigure> published() {
  return {{.source = "paper", .table = "main", .data_set = "b-v0", .method = "alps", .variant = "alps", .success = 70},
          {.source = "paper", .table = "main", .data_set = "a-v0", .method = "alps", .variant = "alps", .success = 99},
          {.source = "paper", .table = "main", .data_set = "a-v0", .method = "alps", .variant = "cem", .success = 5},
          {.source = "paper", .table = "main", .data_set = "b-v0", .method = "hiql", .success = 40},
          {.source = "paper",
           .table = "tasks",
           .data_set = "b-v0",
           .method = "alps",
           .variant = "alps",
           .setting = "task=1",
           .success = 1},
          {.source = "best", .table = "best", .data_set = "b-v0", .method = "XYZ", .success = 75},
          {.source = "best", .table = "best", .data_set = "a-v0", .method = "UVW", .success = 100}};
}

Grid table(const TableQuery& query, const std::vector<LedgerRow>& rows = kRows) {
  return pivot_table(rows, query, published());
}

using Cells = std::vector<std::vector<std::string>>;

TEST(Filter, Conditions) {
  EXPECT_TRUE(matches("a*c", "abc"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*b*", "axxbyy"));
  EXPECT_FALSE(matches("a*c", "abcd"));
  EXPECT_FALSE(matches("a.c", "abc"));
  const auto conditions = parse_conditions("data_set=antmaze*,asked=tasks=1,3,variant=alps|cem,backend!=ogbench");
  ASSERT_EQ(conditions.size(), 4u);
  EXPECT_EQ(conditions[1].column, "asked");
  EXPECT_EQ(conditions[1].patterns, (std::vector<std::string>{"tasks=1,3"}));
  EXPECT_EQ(conditions[2].patterns, (std::vector<std::string>{"alps", "cem"}));
  EXPECT_FALSE(conditions[3].holds("ogbench"));
  EXPECT_TRUE(conditions[3].holds("native"));
  // nothing set
  EXPECT_TRUE(parse_conditions("set=")[0].holds(""));
  EXPECT_FALSE(parse_conditions("set=")[0].holds("sigma=1"));
  LedgerRow r = row("b-v0", "alps", 0, 1, 1);
  EXPECT_TRUE(all_hold(parse_conditions("default"), r));
  r.asked = "clusters=3";
  EXPECT_FALSE(all_hold(parse_conditions("default"), r));
  EXPECT_TRUE(all_hold(parse_conditions("clusters!=4"), r));
  for (const char* wrong : {"", "variant", "=alps", ",variant=alps"})
    EXPECT_NE(error_of([&] { parse_conditions(wrong); }).find("is no condition"), std::string::npos) << wrong;
}

TEST(Filter, ReadingOrder) {
  std::vector<std::string> words = {"gcbc", "alps", "16", "prior", "2", "", "cem+prior", "cem", "a", "128"};
  std::ranges::sort(words, in_reading_order);
  EXPECT_EQ(words, (std::vector<std::string>{"", "2", "16", "128", "cem", "prior", "cem+prior", "alps", "a", "gcbc"}));
}

TEST(Table, PoolsOverSeeds) {
  const Grid grid = table({.columns = {"variant"}, .values = {"success", "steps", "ms"}, .counts = true});
  EXPECT_EQ(grid.header, (std::vector<std::string>{"data set", "cem", "alps", "episodes"}));
  // the order of the paper; 15 of 20, steps of the successful ones: (9 * 100 + 6 * 200) / 15
  EXPECT_EQ(grid.rows,
            (Cells{{"b-v0", "0 (0-28), 2.0 ms", "75 (53-89), 140 steps, 2.0 ms", "10 (1 seed), 20 (2 seeds)"},
                   {"a-v0", "-", "100 (72-100), 50 steps, 2.0 ms", "-, 10 (1 seed)"}}));
  EXPECT_TRUE(grid.notes.empty());
}

TEST(Table, WithoutAPivot) {
  const Grid grid = table({.counts = true});
  EXPECT_EQ(grid.header, (std::vector<std::string>{"data set", "variant", "success", "episodes"}));
  EXPECT_EQ(grid.rows, (Cells{{"b-v0", "cem", "0 (0-28)", "10 (1 seed)"},
                              {"b-v0", "alps", "75 (53-89)", "20 (2 seeds)"},
                              {"a-v0", "alps", "100 (72-100)", "10 (1 seed)"}}));
}

TEST(Table, PublishedFigures) {
  const Grid brackets = table({.columns = {"variant"}, .published = "main"});
  EXPECT_EQ(brackets.rows, (Cells{{"b-v0", "0 (0-28)", "75 (53-89) [70]"}, {"a-v0", "- [5]", "100 (72-100) [99]"}}));
  const Grid columns =
      table({.columns = {"variant=alps|cem"}, .published = "main", .published_columns = true, .best = true});
  EXPECT_EQ(columns.header,
            (std::vector<std::string>{"data set", "best published", "alps, paper", "alps", "cem, paper", "cem"}));
  EXPECT_EQ(columns.rows, (Cells{{"b-v0", "XYZ 75", "70", "75 (53-89)", "-", "0 (0-28)"},
                                 {"a-v0", "UVW 100", "99", "100 (72-100)", "5", "-"}}));
  EXPECT_EQ(columns.bold, (std::set<std::pair<size_t, size_t>>{{0, 3}, {1, 3}}));
  EXPECT_NE(columns.markdown().find("| XYZ 75 | 70 | **75 (53-89)** | - |"), std::string::npos);
  EXPECT_EQ(columns.text().find("**"), std::string::npos);
  // figures of single tasks answer no question about all of them
  EXPECT_EQ(table({.columns = {"variant"}, .published = "tasks"}).rows[0][2], "75 (53-89)");
  EXPECT_NE(error_of([&] { table({.published = "nothing"}); }).find("there are: best, main, tasks"), std::string::npos);
}

TEST(Table, ChoosesAndOrders) {
  EXPECT_EQ(table({.where = parse_conditions("data_set=a*"), .columns = {"variant"}}).rows.size(), 1u);
  EXPECT_EQ(table({.columns = {"variant=cem"}}).header, (std::vector<std::string>{"data set", "cem"}));
  const Grid complete = table({.columns = {"variant"}, .complete = true});
  ASSERT_EQ(complete.rows.size(), 1u);
  EXPECT_EQ(complete.rows[0][0], "b-v0");
  const Grid turned = table({.rows = {"variant"}, .columns = {"data_set"}});
  EXPECT_EQ(turned.header, (std::vector<std::string>{"variant", "b-v0", "a-v0"}));
  EXPECT_TRUE(table({.where = parse_conditions("variant=prior"), .columns = {"variant"}}).rows.empty());
}

TEST(Table, SettingsAreColumns) {
  std::vector<LedgerRow> rows = kRows;
  rows[0].train_set = "eigenvectors=2";
  rows[1].train_set = "eigenvectors=16 lr=1";
  const Grid grid = table({.where = parse_conditions("train_set!="), .columns = {"eigenvectors"}}, rows);
  EXPECT_EQ(grid.header, (std::vector<std::string>{"data set, eigenvectors", "2", "16"}));
  EXPECT_NE(error_of([&] { table({.columns = {"eigenvectors"}}); }).find("no column 'eigenvectors'"),
            std::string::npos);
  EXPECT_NE(error_of([&] { table({.rows = {"varient"}}); }).find("variant"), std::string::npos);
  EXPECT_NE(error_of([&] { table({.where = parse_conditions("sed=1")}); }).find("no column 'sed'"), std::string::npos);
  EXPECT_NE(error_of([&] { table({.values = {"stepps"}}); }).find("no value 'stepps'"), std::string::npos);
}

TEST(Table, SaysWhatItMixes) {
  std::vector<LedgerRow> rows = kRows;
  rows[0].set = "sigma=0.1";
  rows[1].backend = "ogbench";
  const Grid grid = table({.columns = {"variant"}}, rows);
  ASSERT_EQ(grid.notes.size(), 1u);
  EXPECT_NE(grid.notes[0].find("differ in: backend, set;"), std::string::npos);
  EXPECT_TRUE(table({.rows = {"data_set", "set", "backend"}, .columns = {"variant"}}, rows).notes.empty());
  EXPECT_TRUE(table({}, rows).notes.empty());
}

TEST(Table, ForPrograms) {
  const Grid grid = table({.columns = {"variant"}, .published = "main", .best = true, .list = true});
  const CsvFile csv = parse_csv(grid.csv());
  ASSERT_EQ(csv.rows.size(), 3u);
  EXPECT_EQ(csv.text(1, csv.find("data_set")), "b-v0");
  EXPECT_EQ(csv.text(1, csv.find("variant")), "alps");
  EXPECT_EQ(csv.number(1, csv.find("episodes")), 20);
  EXPECT_EQ(csv.number(1, csv.find("seeds")), 2);
  EXPECT_EQ(csv.number(1, csv.find("success")), 75);
  EXPECT_NEAR(csv.number(1, csv.find("low")), 53.13, 0.01);
  EXPECT_EQ(csv.number(1, csv.find("mean_steps")), 140);
  EXPECT_EQ(csv.number(1, csv.find("published")), 70);
  EXPECT_EQ(csv.number(1, csv.find("best")), 75);
  EXPECT_EQ(csv.text(0, csv.find("mean_steps")), "");  // nobody arrived
  EXPECT_EQ(csv.text(0, csv.find("published")), "");
}

TEST(Table, EachResult) {
  std::vector<LedgerRow> rows = kRows;
  rows[0].command = "alps eval 'a, \"b\"'";
  const CsvFile csv = parse_csv(result_table(rows, {.where = parse_conditions("data_set=b*")}).csv());
  ASSERT_EQ(csv.rows.size(), 3u);
  EXPECT_EQ(csv.columns, ledger_columns());
  EXPECT_EQ(csv.text(0, csv.find("command")), rows[0].command);
  EXPECT_EQ(csv.text(2, csv.find("successes")), "0");
}

TEST(Grid, Forms) {
  const Grid grid{.header = {"name", "n"}, .rows = {{"a|b", "1"}, {"c", ""}, {"long name", "200"}}};
  EXPECT_EQ(grid.text(), "name         n\na|b          1\nc\nlong name  200\n");
  EXPECT_EQ(grid.markdown(), "| name | n |\n|---|---|\n| a\\|b | 1 |\n| c | - |\n| long name | 200 |\n");
  EXPECT_EQ(grid.csv(), "name,n\na|b,1\nc,\nlong name,200\n");
}

TEST(Marks, TablesAreReplaced) {
  const std::string text =
      "x\n<!-- table: --a 'b c' -->\nold\nold\n<!-- /table -->\ny, as in `<!-- table: -->`\n"
      "<!-- table: -->\n<!-- /table -->";
  std::vector<std::string> asked;
  const auto make = [&](const std::string& options) {
    asked.push_back(options);
    return std::string("new\n");
  };
  const std::string made = with_tables(text, "f.md", make);
  EXPECT_EQ(made,
            "x\n<!-- table: --a 'b c' -->\nnew\n<!-- /table -->\ny, as in `<!-- table: -->`\n<!-- table: "
            "-->\nnew\n<!-- /table -->");
  EXPECT_EQ(asked, (std::vector<std::string>{" --a 'b c' ", " "}));
  EXPECT_EQ(with_tables(made, "f.md", make), made);
  EXPECT_EQ(with_tables("no marks", "f.md", make), "no marks");
  for (const char* open : {"a\n<!-- table: x -->\nrest", "a\n<!-- table: x\n<!-- /table -->\n",
                           "a\n<!-- table: x -->\n<!-- table: y -->\n<!-- /table -->\n"})
    EXPECT_NE(error_of([&] { with_tables(open, "f.md", make); }).find("f.md, line 2"), std::string::npos) << open;
}

TEST(Published, FilesAreChecked) {
  const std::vector<PublishedFigure> all = read_published(std::filesystem::path(ALPS_SOURCE_DIR) / "reproduce");
  EXPECT_EQ(figures_of(all, "ogbench_results").size(), 39u * 7);
  EXPECT_EQ(figures_of(all, "best").size(), 39u);
  // nobody in the paper's main table beats the best
  std::map<std::string, double> best;
  for (const PublishedFigure& f : figures_of(all, "best")) best[f.data_set] = f.success;
  for (const PublishedFigure& f : figures_of(all, "ogbench_results")) EXPECT_GE(best.at(f.data_set), f.success);

  const TempFolder folder;
  const auto told = [&] { return error_of([&] { read_published(folder / ""); }); };
  EXPECT_NE(told().find("published.csv: no such file"), std::string::npos);
  const std::string header = "source,table,data_set,method,variant,clusters,setting,success,deviation\n";
  write_text(folder / "published.csv", header);
  write_text(folder / "best.csv", header + "best,best,m,X,,,,101,\n");
  EXPECT_NE(told().find("best.csv, row 1: success is '101'"), std::string::npos);
  write_text(folder / "best.csv", "source,table\n");
  EXPECT_NE(told().find("lacks the column data_set"), std::string::npos);
}

}  // namespace
}  // namespace alps

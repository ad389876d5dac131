// The files of reproduce/: all of them can be read and run, and what is wrong in one is told with its line and a
// remedy.
#include "alps/lab/exhibit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/lab/published.h"

namespace fs = std::filesystem;
using namespace alps;

namespace {

constexpr const char* kHead = "title = \"T\"\nlabel = \"tab:t\"\nshows = \"S.\"\n";
constexpr const char* kShow = "[show]\nas = \"table\"\nrows = [\"data_set\"]\ncolumns = [\"variant\"]\n";
constexpr const char* kRuns = "[[runs]]\ndata = \"x\"\n";

class ExhibitFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& text) {
    write_text(folder_ / "t.toml", text);
    return folder_ / "t.toml";
  }
  // what the file is refused with; it must name itself
  std::string refused(const std::string& text) {
    try {
      load_exhibit(write(text));
    } catch (const UsageError& e) {
      EXPECT_NE(std::string(e.what()).find("t.toml:"), std::string::npos) << e.what();
      return e.what();
    }
    ADD_FAILURE() << "was not refused:\n" << text;
    return "";
  }
  const fs::path folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(Exhibits, AreAllThere) {
  const std::vector<Exhibit> all = load_exhibits(fs::path(ALPS_SOURCE_DIR) / "reproduce");
  std::set<std::string> labels;
  for (const Exhibit& e : all) labels.insert(e.label);
  for (const char* label :
       {"tab:PcLast_results", "tab:ogbench_results", "tab:ablation", "tab:all_ablations", "tab:eigenvector_ablation",
        "fig:clusters_ablation", "fig:allo_prop", "fig:spiral_viz", "fig:teleport_issues", "tab:stat_tests"})
    EXPECT_TRUE(labels.contains(label)) << label;
  EXPECT_EQ(labels.size(), all.size());
  EXPECT_EQ(all.front().name, "ogbench_results");
  // what they say is published is published
  const auto published = read_published(fs::path(ALPS_SOURCE_DIR) / "reproduce");
  for (const Exhibit& e : all)
    EXPECT_TRUE(e.published.empty() ||
                std::ranges::any_of(published, [&](const PublishedFigure& p) { return p.table == e.published; }))
        << e.name;
}

TEST_F(ExhibitFile, IsRead) {
  const Exhibit e =
      load_exhibit(write(std::string(kHead) + "order = 3\nnote = \"N\"\n" + kShow + "published = \"p\"\n" +
                         "[[protocol]]\nbegins = \"visual-\"\nseeds = 4\nsteps = [300_000, 400_000]\n" +
                         "[[protocol]]\npreset = \"paper\"\nepisodes = 50\n" + kRuns));
  EXPECT_EQ(e.name, "t");
  EXPECT_EQ(e.title, "T");
  EXPECT_EQ(e.note, "N");
  EXPECT_EQ(e.order, 3);
  EXPECT_EQ(e.as, Exhibit::As::kTable);
  EXPECT_EQ(e.published, "p");
  EXPECT_TRUE(e.runs);
  ASSERT_EQ(e.protocol.size(), 2u);
  EXPECT_EQ(protocol_for(e, "visual-antmaze-medium-navigate-v0")->seeds, 4);
  EXPECT_EQ(protocol_for(e, "visual-antmaze-medium-navigate-v0")->steps, (std::vector<int64_t>{300'000, 400'000}));
  EXPECT_EQ(protocol_for(e, "antmaze-medium-navigate-v0")->episodes, 50);
}

TEST_F(ExhibitFile, WrongOnesAreRefusedWithLineAndRemedy) {
  const std::string unknown = refused(std::string(kHead) + "odrer = 1\n" + kShow + kRuns);
  EXPECT_TRUE(has(unknown, "t.toml:4:")) << unknown;
  EXPECT_TRUE(has(unknown, "did you mean 'order'?")) << unknown;
  const std::string type = refused(std::string(kHead) + kShow + "published = 3\n" + kRuns);
  EXPECT_TRUE(has(type, "t.toml:8:") && has(type, "published takes a text in quotes")) << type;
  const std::string shape = refused(std::string(kHead) + "[show]\nas = \"tabel\"\n" + kRuns);
  EXPECT_TRUE(has(shape, "t.toml:5:") && has(shape, "did you mean 'table'?")) << shape;
  const std::string field =
      refused(std::string(kHead) + "[show]\nas = \"table\"\nrows = [\"dataset\"]\ncolumns = [\"task\"]\n" + kRuns);
  EXPECT_TRUE(has(field, "t.toml:6:") && has(field, "data_set")) << field;
  const std::string steps = refused(std::string(kHead) + kShow + "[[protocol]]\nsteps = \"many\"\n" + kRuns);
  EXPECT_TRUE(has(steps, "t.toml:9:") && has(steps, "whole number")) << steps;
  const std::string protocol = refused(std::string(kHead) + kShow + "[[protocol]]\nseed = 8\n" + kRuns);
  EXPECT_TRUE(has(protocol, "t.toml:9:") && has(protocol, "did you mean 'seeds'?")) << protocol;
  const std::string broken = refused("title = \"T\nlabel = 1\n");
  EXPECT_TRUE(has(broken, "t.toml:1: is not TOML")) << broken;
  EXPECT_TRUE(has(refused(std::string(kHead) + kShow), "has no [[runs]]"));
  EXPECT_TRUE(has(refused(std::string(kHead) + kRuns), "lacks [show]"));
  EXPECT_TRUE(has(refused(std::string("title = \"T\"\n") + kShow + kRuns), "lacks label"));
  EXPECT_TRUE(has(refused(std::string(kHead) + "[show]\nas = \"pictures\"\n" + kRuns), "name the pictures"));
}

TEST(Exhibits, AreChosenByNameOrLabel) {
  const std::vector<Exhibit> all = load_exhibits(fs::path(ALPS_SOURCE_DIR) / "reproduce");
  EXPECT_EQ(chosen_exhibits(all, {}).size(), all.size());
  const std::vector<std::string> words = {"fig:allo_prop", "ablation", "tab:ablation"};
  const std::vector<Exhibit> chosen = chosen_exhibits(all, words);
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0].name, "allo_prop");
  EXPECT_EQ(chosen[1].name, "ablation");
  const std::vector<std::string> wrong = {"ablatoin"};
  try {
    chosen_exhibits(all, wrong);
    FAIL() << "was not refused";
  } catch (const UsageError& e) {
    EXPECT_TRUE(has(e.what(), "did you mean 'ablation'?")) << e.what();
  }
}

// Names of data sets and environments decide nothing: they may stand in the catalogue and in the table of recipes only.
// What follows from a data set is measured from it, or is a field of its profile.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "sources.h"

namespace alps {
namespace {

const std::set<std::string> kTables = {"world/catalog.cc", "collect/recipe.cc"};

// parts of names wherever they stand in a string, and words that only cut a name into parts: those decide something if
// they are a whole string outside of the rooms that make mazes and data
constexpr std::array kParts = {"antmaze", "pointmaze", "humanoidmaze", "maze2d",
                               "cube",    "scene",     "puzzle",       "teleport-"};
constexpr std::array kWords = {"medium", "large", "giant", "navigate", "stitch", "explore", "visual-"};

std::string name_in(const SourceFile& file) {
  for (const std::string& literal : string_literals(file.text)) {
    if (literal.ends_with(".xml")) continue;  // a file of the package
    const bool part = std::ranges::any_of(kParts, [&](const char* p) { return literal.find(p) != std::string::npos; });
    const bool word = file.room != "world" && file.room != "collect" &&
                      std::ranges::any_of(kWords, [&](const char* w) { return literal == w; });
    if (part || word) return literal;
  }
  return "";
}

TEST(Names, LiteralsAreRead) {
  const std::string code =
      "#include \"antmaze.h\"\n// \"antmaze\"\n/* \"cube\" */ int n = 1'000; char c = '\"', d = '\\'';\n"
      "f(\"one \\\"two\\\"\", R\"x(th\"ree)x\"); g(\"four\");  // \"five\"\n";
  EXPECT_EQ(string_literals(code), (std::vector<std::string>{"one \"two\"", "th\"ree", "four"}));
  EXPECT_EQ(name_in({"plan/x.cc", "plan", "if (name.find(\"maze2d\")) {}"}), "maze2d");
  EXPECT_EQ(name_in({"eval/x.cc", "eval", "has(\"explore\")"}), "explore");
  EXPECT_EQ(name_in({"world/x.cc", "world", "parse(\"cube.xml\")"}), "");
  EXPECT_EQ(name_in({"eval/x.cc", "eval", "says(\"explore more\"), make_maze2d()  // antmaze"}), "");
}

TEST(Names, OnlyTheTablesKnowThem) {
  std::set<std::string> seen;
  for (const SourceFile& file : sources()) {
    seen.insert(file.path);
    if (kTables.contains(file.path)) continue;
    const std::string name = name_in(file);
    EXPECT_EQ(name, "") << file.path << " looks at names of data sets";
  }
  EXPECT_GT(seen.size(), 100u);
  for (const std::string& path : kTables) EXPECT_TRUE(seen.contains(path)) << path << " is gone; mend this test";
}

}  // namespace
}  // namespace alps

#include "alps/base/shell_quoted.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

namespace alps {
namespace {

// what a real shell makes of the line: its words, each ended by a newline
std::string words_of(const std::string& line) {
  FILE* shell = popen(("printf '%s\\n' " + line).c_str(), "r");
  std::string told;
  for (int c; (c = std::fgetc(shell)) != EOF;) told += static_cast<char>(c);
  EXPECT_EQ(pclose(shell), 0) << line;
  return told;
}

TEST(ShellQuoted, PlainWordsStayAsTheyAre) {
  for (const char* word : {"train", "--out", "runs/point-s0", "/data/a_b.npz", "lr=1e-4", "dijkstra+prior", "1,3"})
    EXPECT_EQ(shell_quoted(word), word);
}

TEST(ShellQuoted, AShellReadsEveryWordBack) {
  const std::vector<std::string> words = {"my runs/one", "it's",   "$HOME", "a\"b", "*",       "~/x", "a;b&c|d", "",
                                          "back\\slash", "`date`", "<in>",  "#no",  "(a) {b}", "!1",  "t\tab",   "é"};
  std::string expected;
  for (const std::string& word : words) {
    EXPECT_EQ(words_of(shell_quoted(word)), word + "\n");
    expected += word + "\n";
  }
  EXPECT_EQ(words_of(shell_command(words)), expected);
  EXPECT_EQ(shell_words(shell_command(words)), words);
}

TEST(ShellQuoted, WordsAsAShellReadsThem) {
  const std::string line = "  a 'b c'\"d\\\"e\"  f\\ g '' \"x'y\" ";
  const std::vector<std::string> words = shell_words(line);
  EXPECT_EQ(words, (std::vector<std::string>{"a", "b cd\"e", "f g", "", "x'y"}));
  std::string told;
  for (const std::string& word : words) told += word + "\n";
  EXPECT_EQ(words_of(line), told);
  EXPECT_TRUE(shell_words("  ").empty());
}

}  // namespace
}  // namespace alps

// Rows that many processes append to one file, and files that are not ours to append to.
#include "alps/base/append.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <set>
#include <sstream>

#include "alps/base/file.h"
#include "temp_folder.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::istringstream in(read_text(path));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(AppendRow, SixteenProcessesAtOnce) {
  constexpr int kProcesses = 16, kRows = 200;
  const TempFolder folder;
  const fs::path path = folder / "new" / "ledger.csv";  // they race for the folder and the header too
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(gate[1]);
      char start;
      if (read(gate[0], &start, 1) != 0) _exit(2);  // until the parent closes it: all begin together
      try {
        for (int r = 0; r < kRows; ++r)
          append_row(path, {{"process", std::to_string(p)},
                            {"row", std::to_string(r)},
                            {"text", std::string(50 + 37 * r % 900, static_cast<char>('a' + p))}});
      } catch (const std::exception&) {
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  close(gate[0]);
  close(gate[1]);
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const std::vector<std::string> lines = lines_of(path);
  ASSERT_EQ(lines.size(), 1u + kProcesses * kRows);
  EXPECT_EQ(lines[0], "process,row,text");
  // every row once, unbroken; those of one process in its order
  std::set<std::string> missing;
  for (int p = 0; p < kProcesses; ++p)
    for (int r = 0; r < kRows; ++r)
      missing.insert(str(p, ",", r, ",", std::string(50 + 37 * r % 900, static_cast<char>('a' + p))));
  for (size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(missing.erase(lines[i]), 1u) << lines[i];
  EXPECT_TRUE(missing.empty());
}

TEST(AppendRow, QuotesWhatNeedsIt) {
  const TempFolder folder;
  append_row(folder / "x.csv", {{"a", "1,2"}, {"b", "say \"hi\""}, {"c", "plain words"}, {"d", ""}});
  EXPECT_EQ(read_text(folder / "x.csv"), "a,b,c,d\n\"1,2\",\"say \"\"hi\"\"\",plain words,\n");
}

TEST(AppendRow, LeavesFilesWithOtherColumnsAlone) {
  const TempFolder folder;
  const CsvRow row = {{"a", "1"}, {"b", "2"}};
  for (const char* text : {"a\n1\n", "a,b,c\n1,2,3\n", "a,bb\n1,2\n", "b,a\n", "nonsense"}) {
    folder.write("x.csv", text);
    const std::string told = error_of([&] { check_columns(folder / "x.csv", row); });
    EXPECT_NE(told.find("x.csv has other columns"), std::string::npos) << text;
    EXPECT_NE(told.find("move it away"), std::string::npos);
    EXPECT_EQ(error_of([&] { append_row(folder / "x.csv", row); }), told);
    EXPECT_EQ(read_text(folder / "x.csv"), text);
  }
}

TEST(AppendRow, GoesOnWithFilesOfAnEditor) {
  const TempFolder folder;
  const CsvRow row = {{"a", "3"}, {"b", "4"}};
  const std::pair<const char*, const char*> cases[] = {{"a,b\n1,2\n", "a,b\n1,2\n3,4\n"},
                                                       {"a,b\n1,2", "a,b\n1,2\n3,4\n"},
                                                       {"a,b", "a,b\n3,4\n"},
                                                       {"a,b\r\n1,2\r\n", "a,b\r\n1,2\r\n3,4\n"},
                                                       {"", "a,b\n3,4\n"}};
  for (const auto& [before, after] : cases) {
    folder.write("x.csv", before);
    check_columns(folder / "x.csv", row);
    EXPECT_EQ(read_text(folder / "x.csv"), before);
    append_row(folder / "x.csv", row);
    EXPECT_EQ(read_text(folder / "x.csv"), after);
  }
  check_columns(folder / "none.csv", row);
  EXPECT_FALSE(fs::exists(folder / "none.csv"));
}

// a disk that fills up in the middle of a row, played by a limit on the size of files
TEST(AppendRow, AddsTheWholeRowOrNothing) {
  const TempFolder folder;
  append_row(folder / "x.csv", {{"a", "1"}});
  const std::string before = read_text(folder / "x.csv");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(3);
    const std::string told = error_of([&] { append_row(folder / "x.csv", {{"a", std::string(1000, 'x')}}); });
    _exit(told.find("cannot append to") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_text(folder / "x.csv"), before);
}

TEST(AppendRow, SaysWhyItCannotWrite) {
  const TempFolder folder;
  folder.write("file", "");
  EXPECT_NE(error_of([&] { append_row(folder / "file" / "x.csv", {{"a", "1"}}); }).find("file"), std::string::npos);
  fs::create_directories(folder / "folder");
  EXPECT_NE(error_of([&] { append_row(folder / "folder", {{"a", "1"}}); }).find("cannot append to"), std::string::npos);
}

}  // namespace
}  // namespace alps

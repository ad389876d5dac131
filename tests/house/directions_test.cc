// The house keeps its directions: which room may include which, and which libraries. The one table of that is the one
// in ARCHITECTURE.md: its column `sees` names rooms and libraries. A room also sees what the rooms that it sees see,
// but libraries are only for the room whose row names them.
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "sources.h"

namespace alps {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// how headers of libraries begin; a room must name the library to include them. Whom nobody names, nobody includes.
const std::map<std::string, std::vector<std::string>> kLibraries = {
    {"torch", {"torch/", "ATen/", "c10/", "caffe2/"}},
    {"MuJoCo", {"mujoco/"}},
    {"Cairo", {"cairo"}},
    {"libcurl", {"curl/"}},
    {"toml++", {"toml++/"}},
    {"zlib", {"zlib.h"}},
    {"CLI11", {"CLI/"}},
    {"cpp-httplib", {"httplib"}},
    {"Python", {"Python.h", "pybind11/", "nanobind/"}},
};

// the words of a text: letters, digits, -, _ and +
Names words_of(const std::string& text) {
  Names words;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '+') {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  return words;
}

// Room -> the words of its row's last column, for rows that begin with one word in backquotes: | `plan` | ... | nn,
// graph |
std::map<std::string, Names> read_table() {
  std::map<std::string, Names> table;
  std::istringstream in(read_source(fs::path(ALPS_SOURCE_DIR) / "ARCHITECTURE.md"));
  for (std::string line; std::getline(in, line);) {
    const size_t close = line.find("` |");
    if (!line.starts_with("| `") || close == std::string::npos || !line.ends_with(" |")) continue;
    const std::string room = line.substr(3, close - 3);
    if (words_of(room) != Names{room}) continue;
    const size_t last = line.rfind('|', line.size() - 2);
    table[room] = words_of(line.substr(last + 1, line.size() - last - 2));
  }
  return table;
}

// the rooms that a room may include: its row's, theirs, itself, and base
Names seen_from(const std::string& room, const std::map<std::string, Names>& table) {
  Names seen = {room, "base"};
  std::vector<std::string> open = {room};
  while (!open.empty()) {
    const std::string at = open.back();
    open.pop_back();
    if (!table.contains(at)) continue;
    for (const std::string& name : table.at(at))
      if (table.contains(name) && seen.insert(name).second) open.push_back(name);
  }
  return seen;
}

std::vector<std::string> includes_of(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("#include")) continue;
    const size_t open = line.find_first_of("\"<"), close = line.find_first_of("\">", open + 1);
    if (close != std::string::npos) found.push_back(line.substr(open + 1, close - open - 1));
  }
  return found;
}

class Directions : public testing::Test {
 protected:
  const std::map<std::string, Names> table_ = read_table();
};

TEST_F(Directions, TheTableNamesEveryRoomAndNothingElse) {
  for (const auto& entry : fs::directory_iterator(fs::path(ALPS_SOURCE_DIR) / "src/alps"))
    EXPECT_TRUE(table_.contains(entry.path().filename())) << entry.path() << " has no row in ARCHITECTURE.md";
  size_t rooms = 0;
  for (const auto& [room, sees] : table_) {
    if (room == "python") continue;  // beside the rooms, not among them
    ++rooms;
    EXPECT_TRUE(fs::is_directory(fs::path(ALPS_SOURCE_DIR) / "src/alps" / room)) << room << " has a row but no folder";
    for (const std::string& name : sees)
      EXPECT_TRUE(table_.contains(name) || kLibraries.contains(name))
          << room << " sees '" << name << "': what is that?";
  }
  EXPECT_GE(rooms, 11u);
}

TEST_F(Directions, NoRoomSeesItself) {
  for (const auto& [room, sees] : table_)
    for (const std::string& name : sees)
      if (table_.contains(name)) {
        EXPECT_FALSE(seen_from(name, table_).contains(room)) << room << " and " << name << " see each other";
      }
}

// what must never be, whatever the table says
TEST_F(Directions, WhatTheHouseStandsOn) {
  const auto expect_blind = [&](const char* room, const Names& to) {
    for (const std::string& name : seen_from(room, table_)) EXPECT_FALSE(to.contains(name)) << room << " sees " << name;
  };
  expect_blind("learn", {"world", "collect", "eval", "plan"});
  expect_blind("world", {"learn", "nn", "data"});
  expect_blind("graph", {"world", "learn", "nn", "data"});
  expect_blind("plan", {"world", "learn", "data"});
  for (const auto& [room, sees] : table_) {
    if (room == "python") continue;
    EXPECT_EQ(sees.contains("torch"), room == "learn") << room;
    EXPECT_EQ(sees.contains("MuJoCo"), room == "world") << room;
    for (const char* library : {"CLI11", "cpp-httplib", "Python"}) EXPECT_FALSE(sees.contains(library)) << room;
  }
}

TEST_F(Directions, RoomsIncludeOnlyWhatTheyMay) {
  size_t between = 0;
  for (const SourceFile& file : sources()) {
    const Names seen = seen_from(file.room, table_);
    for (const std::string& path : includes_of(file.text)) {
      if (!path.starts_with("alps/")) continue;
      const std::string other = path.substr(5, path.find('/', 5) - 5);
      between += other != file.room;
      EXPECT_TRUE(seen.contains(other)) << file.path << " includes " << path << ", but " << file.room << " may not see "
                                        << other;
    }
  }
  EXPECT_GT(between, 50u);
}

TEST_F(Directions, LibrariesStayInTheirRooms) {
  std::map<std::string, Names> met;
  for (const SourceFile& file : sources())
    for (const std::string& path : includes_of(file.text))
      for (const auto& [library, beginnings] : kLibraries)
        for (const std::string& beginning : beginnings)
          if (path.starts_with(beginning)) {
            met[file.room].insert(library);
            EXPECT_TRUE(table_.contains(file.room) && table_.at(file.room).contains(library))
                << file.path << " includes " << path << ", but " << file.room << " may not see " << library;
          }
  // and the table names no library that is not used
  for (const auto& [room, sees] : table_)
    for (const std::string& name : sees)
      if (kLibraries.contains(name) && room != "python") {
        EXPECT_TRUE(met[room].contains(name)) << room << " does not include " << name;
      }
}

}  // namespace
}  // namespace alps

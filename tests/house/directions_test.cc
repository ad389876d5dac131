// The house keeps its directions: which room may include which (ARCHITECTURE.md), read from the sources themselves.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

namespace fs = std::filesystem;

namespace {

// rooms that a room may include, beside itself
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"base", {}},
    {"data", {"base"}},
    {"world", {"base"}},
    {"nn", {"base"}},
    {"graph", {"base"}},
    {"draw", {"base"}},
    {"collect", {"base", "world", "nn", "data"}},
    {"learn", {"base", "data", "nn"}},
    {"plan", {"base", "nn", "graph"}},
    {"eval", {"base", "world", "plan", "nn", "graph", "data"}},
    {"show", {"base", "data", "world", "nn", "graph", "plan", "eval", "draw"}},
    {"run", {"base", "data", "world", "collect", "nn", "learn", "graph", "plan", "eval"}},
};

// headers of others, and the only rooms that may include them
const std::map<std::string, std::set<std::string>> kOnlyIn = {
    {"torch/", {"learn"}}, {"mujoco/", {"world"}}, {"cairo", {"draw"}}, {"curl/", {"data"}},
    {"CLI/", {}},          {"httplib", {}},        {"Python.h", {}},    {"nanobind", {}},
};

struct Include {
  std::string file, room, path;
};

std::vector<Include> includes_of_rooms() {
  std::vector<Include> found;
  const fs::path source = fs::path(ALPS_SOURCE_DIR) / "src/alps";
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    if (!entry.is_regular_file()) continue;
    const std::string room = fs::relative(entry.path(), source).begin()->string();
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("#include")) continue;
      const size_t open = line.find_first_of("\"<"), close = line.find_first_of("\">", open + 1);
      if (close != std::string::npos)
        found.push_back({entry.path().string(), room, line.substr(open + 1, close - open - 1)});
    }
  }
  return found;
}

TEST(Directions, RoomsIncludeOnlyWhatTheyMay) {
  const auto includes = includes_of_rooms();
  ASSERT_GT(includes.size(), 50u);
  for (const Include& include : includes) {
    ASSERT_TRUE(kMayInclude.contains(include.room))
        << include.file << ": room " << include.room << " is not in the plan";
    if (!include.path.starts_with("alps/")) continue;
    const std::string other = include.path.substr(5, include.path.find('/', 5) - 5);
    EXPECT_TRUE(other == include.room || kMayInclude.at(include.room).contains(other))
        << include.file << " includes " << include.path << ", but " << include.room << " may not see " << other;
  }
}

TEST(Directions, LibrariesStayInTheirRooms) {
  for (const Include& include : includes_of_rooms())
    for (const auto& [prefix, rooms] : kOnlyIn) {
      const bool allowed = !include.path.starts_with(prefix) || rooms.contains(include.room);
      EXPECT_TRUE(allowed) << include.file << " includes " << include.path;
    }
}

}  // namespace

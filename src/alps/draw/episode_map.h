// Evaluated episodes over the maze, one small panel per task: where they began, where they should have gone, and the
// ways they took, green where they arrived and red where they did not.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alps/base/geometry.h"

namespace alps {

struct EpisodePath {
  std::vector<Point2> points;
  bool success = false;
  std::optional<Point2> goal = {};  // of its own, where the task has none; shown for failures, as others end at it
};

struct TaskEpisodes {
  std::string name;                  // "task 3"; the panel's title becomes "task 3: 9/10"
  std::optional<Point2> start = {};  // without it, each episode shows its own
  std::optional<Point2> goal = {};
  std::vector<EpisodePath> episodes = {};
  std::vector<Point2> route = {};  // centres of the clusters that the planner meant to pass
};

struct EpisodeMapOptions {
  std::string title = {};
  std::string caption = {};  // empty: how many episodes succeeded
  size_t columns = 0;        // of panels; 0: as many as fit a page
  double extent = 300;       // longer side of a panel, in points
  bool head = true;          // title, caption and legend
};

// Throws Error without tasks. A task without episodes shows its start and goal.
void draw_episode_map(const std::filesystem::path& path, const Floorplan& floorplan,
                      std::span<const TaskEpisodes> tasks, const EpisodeMapOptions& options = {});

}  // namespace alps

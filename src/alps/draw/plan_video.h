// Episodes seen from above while the planner thinks, as a video: one panel per episode with the regions, the route that
// is left, the subgoal, the agent with the way it came, and what the search imagines (candidates thin, elites strong,
// the plan on top). Drawn with Cairo, so that it needs no graphics driver.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/base/progress.h"

namespace alps {

struct PlanMoment {                // one decision
  size_t step = 0;                 // how far the agent has come on its path
  std::vector<Point2> route = {};  // places of the regions still ahead
  std::optional<Point2> subgoal = {};
  std::vector<std::vector<Point2>> imagined = {};  // candidates, elites first
  size_t elites = 0;
  std::vector<Point2> plan = {};
  std::string note = {};  // what is worth saying: "drifted to region 12, new route"
};

struct PlanEpisode {
  std::string name;  // "task 3"
  Point2 goal;
  std::vector<Point2> path;  // position before each step, and the last
  std::vector<PlanMoment> moments;
  bool success = false;
  std::string end = {};  // said when it is over: "arrived after 123 steps"
};

struct PlanVideoOptions {
  std::string title = {};
  std::vector<Point2> points = {};   // states, which tell how far the world reaches; empty: none
  std::vector<int32_t> labels = {};  // their regions, for the floor; empty: none
  size_t columns = 0;                // of panels; 0: all in one row
  double frames_per_second = 15;
  ProgressFn progress = {};  // frames
};

// Throws Error without episodes.
void draw_plan_video(const std::filesystem::path& path, const Floorplan& floorplan,
                     std::span<const PlanEpisode> episodes, const PlanVideoOptions& options = {});

}  // namespace alps

#include "alps/draw/episode_map.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/draw/bins.h"
#include "alps/draw/canvas.h"
#include "alps/draw/floorplan.h"
#include "alps/draw/path_line.h"

namespace alps {

namespace {

// told apart by lightness too, for readers who do not see red and green
constexpr Color kSuccess = rgb(0x1f9d55), kFailure = rgb(0xb3262e), kGoal = rgb(0xf0a202), kRoute = rgb(0x7b828a);

size_t successes(const TaskEpisodes& task) {
  return std::count_if(task.episodes.begin(), task.episodes.end(), [](const EpisodePath& e) { return e.success; });
}

void draw_task(Canvas& canvas, const Floorplan& floorplan, const TaskEpisodes& task) {
  draw_floorplan(canvas, floorplan);
  // the more lines, the fainter each; failures on top, as they are what one looks for
  const double count = static_cast<double>(std::max<size_t>(task.episodes.size(), 1));
  const double alpha = std::clamp(2.2 / std::sqrt(count), 0.3, 0.85);
  for (const bool success : {true, false})
    for (const EpisodePath& episode : task.episodes)
      if (episode.success == success)
        draw_path_line(canvas, episode.points, {(success ? kSuccess : kFailure).with_alpha(alpha), 1.3},
                       floorplan.leap);
  canvas.polyline(task.route, {kPaper.with_alpha(0.7), 3});
  canvas.polyline(task.route, {kRoute, 1.4, true});
  // where failures got stuck
  for (const EpisodePath& episode : task.episodes)
    if (!episode.success && !episode.points.empty())
      canvas.marker(Symbol::kCircle, episode.points.back(), 2.6, kFailure);
  if (task.start) canvas.marker(Symbol::kCircle, *task.start, 4.2, kInk);
  // the more dots, the smaller
  const double dot = std::clamp(10 / std::sqrt(count), 1.6, 3.0);
  for (const EpisodePath& episode : task.episodes)
    if (!task.start && !episode.points.empty()) canvas.marker(Symbol::kCircle, episode.points.front(), dot, kInk);
  if (task.goal) canvas.marker(Symbol::kStar, *task.goal, 8, kGoal, kInk);
  for (const EpisodePath& episode : task.episodes)
    if (episode.goal && !episode.success) canvas.marker(Symbol::kStar, *episode.goal, 5, kGoal, kInk);
}

}  // namespace

void draw_episode_map(const std::filesystem::path& path, const Floorplan& floorplan,
                      std::span<const TaskEpisodes> tasks, const EpisodeMapOptions& options) {
  if (tasks.empty()) throw Error("cannot draw ", path.string(), ": there are no tasks");
  CanvasOptions page{.extent = options.extent, .title = options.title, .caption = options.caption, .ticks = false};
  std::vector<Point2> places;
  size_t all = 0, good = 0;
  bool routes = false, own_goals = false;
  for (const TaskEpisodes& task : tasks) {
    page.panels.push_back(str(task.name, ": ", successes(task), "/", task.episodes.size()));
    all += task.episodes.size();
    good += successes(task);
    routes |= !task.route.empty();
    for (const auto& at : {task.start, task.goal})
      if (at) places.push_back(*at);
    for (const EpisodePath& episode : task.episodes) {
      places.insert(places.end(), episode.points.begin(), episode.points.end());
      own_goals |= episode.goal.has_value();
    }
  }
  page.world = shown_world(floorplan, places);
  page.columns = options.columns;
  if (page.caption.empty() && options.head)
    page.caption = str(good, " of ", all, all == 1 ? " episode" : " episodes", " succeeded");
  if (options.head)
    page.legend = {{Symbol::kCircle, kInk, "start"},
                   {Symbol::kStar, kGoal, own_goals ? "goal of a failure" : "goal"},
                   {Symbol::kLine, kSuccess, "success"},
                   {Symbol::kLine, kFailure, "failure"}};
  if (routes && options.head) page.legend.push_back({Symbol::kDashes, kRoute, "route"});

  Canvas canvas(path, page);
  for (size_t i = 0; i < tasks.size(); i++) {
    canvas.panel(i);
    draw_task(canvas, floorplan, tasks[i]);
  }
  canvas.save();
}

}  // namespace alps

#include "alps/draw/plan_video.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/draw/bins.h"
#include "alps/draw/canvas.h"
#include "alps/draw/cluster_map.h"
#include "alps/draw/floorplan.h"
#include "alps/draw/path_line.h"
#include "alps/draw/video.h"

namespace alps {

namespace {

constexpr Color kAgent = rgb(0x0b5cad), kGoal = rgb(0xf0a202), kSubgoal = rgb(0xd0267f), kRoute = rgb(0x3a3f47),
                kCandidate = rgb(0x7d8894), kElite = rgb(0xe2611c), kSuccess = rgb(0x1f9d55), kFailure = rgb(0xb3262e);
constexpr double kPale = 0.72;        // of the regions
constexpr double kNoteSeconds = 1.5;  // that something worth saying stays
constexpr double kEndSeconds = 2;     // after the last episode has ended
constexpr double kWidth = 1880;       // of the plots, in pixels

// what of the floor plan lies in the picture; its border is the picture's
Floorplan cropped(const Floorplan& floorplan, const Rect& world) {
  Floorplan part{.bounds = world, .walls = {}, .marks = floorplan.marks};
  for (const Rect& wall : floorplan.walls) {
    const Rect inside{{std::max(wall.low.x, world.low.x), std::max(wall.low.y, world.low.y)},
                      {std::min(wall.high.x, world.high.x), std::min(wall.high.y, world.high.y)}};
    if (inside.low.x < inside.high.x && inside.low.y < inside.high.y) part.walls.push_back(inside);
  }
  return part;
}

void draw_thought(Canvas& canvas, const PlanEpisode& episode, const PlanMoment& moment) {
  canvas.polyline(moment.route, {kPaper.with_alpha(0.8), 4.5});
  canvas.polyline(moment.route, {kRoute, 2});
  for (const Point2 p : moment.route) canvas.marker(Symbol::kCircle, p, 2.6, kRoute);
  // from the least to the most important
  for (size_t i = moment.imagined.size(); i-- > 0;)
    canvas.polyline(moment.imagined[i],
                    i < moment.elites ? Stroke{kElite.with_alpha(0.7), 1.2} : Stroke{kCandidate.with_alpha(0.55), 0.8});
  canvas.polyline(moment.plan, {kAgent, 2});
  if (moment.subgoal) canvas.marker(Symbol::kCircle, *moment.subgoal, 5, kSubgoal);
  canvas.marker(Symbol::kStar, episode.goal, 8, kGoal, kInk);
}

// frame `at` of an episode; one that is over shows its end
void draw_episode(Canvas& canvas, const PlanEpisode& episode, size_t at, size_t note_frames, Point2 leap) {
  const bool over = at >= episode.moments.size();
  const size_t step = over ? episode.path.size() - 1 : episode.moments[at].step;
  const Color way = over ? episode.success ? kSuccess : kFailure : kAgent;
  draw_path_line(canvas, std::span(episode.path).first(step + 1), {way.with_alpha(0.75), 1.8}, leap);
  if (over) {
    canvas.marker(Symbol::kStar, episode.goal, 8, kGoal, kInk);
  } else {
    draw_thought(canvas, episode, episode.moments[at]);
  }
  canvas.marker(Symbol::kCircle, episode.path[step], 5, way);

  std::string title = episode.name;
  if (over) {
    title += ": " + episode.end;
  } else {
    title += str(", step ", step);
    for (size_t i = at + 1; i-- > 0 && i + note_frames > at;)
      if (!episode.moments[i].note.empty()) {
        title += ": " + episode.moments[i].note;
        break;
      }
  }
  canvas.panel_title(title);
}

}  // namespace

void draw_plan_video(const std::filesystem::path& path, const Floorplan& floorplan,
                     std::span<const PlanEpisode> episodes, const PlanVideoOptions& options) {
  if (episodes.empty()) throw Error("cannot draw ", path.string(), ": there are no episodes");
  size_t longest = 0;
  std::vector<Point2> places = options.points;
  for (const PlanEpisode& episode : episodes) {
    ALPS_CHECK(!episode.path.empty());
    for (const PlanMoment& moment : episode.moments) ALPS_CHECK(moment.step < episode.path.size());
    longest = std::max(longest, episode.moments.size());
    places.insert(places.end(), episode.path.begin(), episode.path.end());
  }

  const size_t columns = options.columns > 0 ? std::min(options.columns, episodes.size()) : episodes.size();
  // outer walls say nothing: what was ever visited, with some air
  CanvasOptions page{.world = shown_world({}, places), .scale = 1, .title = options.title, .ticks = false};
  page.extent = std::clamp(kWidth / static_cast<double>(columns) - 16, 160.0, 640.0);
  page.columns = columns;
  page.panels.assign(episodes.size(), " ");
  // of what some moment has
  const auto some = [&](auto has) {
    return std::ranges::any_of(episodes, [&](const PlanEpisode& e) { return std::ranges::any_of(e.moments, has); });
  };
  page.legend = {{Symbol::kCircle, kAgent, "agent"}, {Symbol::kStar, kGoal, "goal"}};
  if (some([](const PlanMoment& m) { return m.subgoal || !m.route.empty(); })) {
    page.legend.push_back({Symbol::kCircle, kSubgoal, "subgoal"});
    page.legend.push_back({Symbol::kLine, kRoute, "route"});
  }
  if (some([](const PlanMoment& m) { return !m.imagined.empty(); })) {
    page.legend.push_back({Symbol::kLine, kCandidate, "imagined"});
    page.legend.push_back({Symbol::kLine, kElite, "elites"});
  }
  if (some([](const PlanMoment& m) { return !m.plan.empty(); })) page.legend.push_back({Symbol::kLine, kAgent, "plan"});
  Canvas canvas(page);
  for (size_t i = 0; i < episodes.size(); ++i) {
    canvas.panel(i);
    if (!options.labels.empty()) draw_regions(canvas, page.world, options.points, options.labels, 80, kPale);
    draw_floorplan(canvas, cropped(floorplan, page.world));
  }
  const Frame background = canvas.pixels();

  VideoWriter video(path, background.width, background.height, options.frames_per_second);
  const auto frames_of = [&](double seconds) {
    return static_cast<size_t>(std::ceil(seconds * options.frames_per_second));
  };
  const size_t frames = longest + frames_of(kEndSeconds);
  for (size_t at = 0; at < frames; ++at) {
    canvas.replace(background);
    for (size_t i = 0; i < episodes.size(); ++i) {
      canvas.panel(i);
      draw_episode(canvas, episodes[i], at, frames_of(kNoteSeconds), floorplan.leap);
    }
    video.write(canvas.pixels());
    if (options.progress) options.progress(at + 1, frames);
  }
  video.finish();
}

}  // namespace alps

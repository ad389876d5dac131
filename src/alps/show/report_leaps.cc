// Teleports and other leaps of the data, for the report: what psi says of their two ends, and why that may be a trap
// (the paper's fig:teleport_issues; show/state_sample.h).
#include <algorithm>
#include <cmath>

#include "alps/base/progress.h"
#include "alps/data/cuts.h"
#include "alps/draw/heat_map.h"
#include "alps/plan/rollout.h"
#include "alps/run/embed_rows.h"
#include "alps/show/report_sections.h"
#include "alps/world/maze.h"

namespace alps {
namespace {

constexpr size_t kLeast = 5;     // leaps that are worth a section
constexpr double kSpot = 0.09;   // ends within this share of the world are one spot
constexpr size_t kWalks = 1500;  // walks for the yardstick

// spots that several doors share get one place, so that arrows meet there
std::vector<StateSample::Leap> meeting(std::vector<StateSample::Leap> leaps, double spot) {
  for (size_t i = 0; i < leaps.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (distance(leaps[i].from, leaps[j].from) < spot) leaps[i].from = leaps[j].from;
      if (distance(leaps[i].to, leaps[j].to) < spot) leaps[i].to = leaps[j].to;
    }
  return leaps;
}

// the median distance in psi of states that are so many steps on foot apart
struct Yardstick {
  std::vector<double> steps, distances;

  // "40", or "more than 400"
  std::string read(double distance) const {
    for (size_t i = 0; i < steps.size(); ++i) {
      if (distances[i] < distance) continue;
      if (i == 0) return str("less than ", steps[0]);
      const double t = (distance - distances[i - 1]) / (distances[i] - distances[i - 1]);
      return str("about ", std::llround(std::lerp(steps[i - 1], steps[i], t)));
    }
    return steps.empty() ? "-" : str("more than ", steps.back());
  }
};

Yardstick measure_walks(const ReportSource& source) {
  std::vector<size_t> rows;
  std::vector<const Episode*> long_ones;
  for (const Episode& walk : source.sample.walks)
    if (walk.rows() > 2) long_ones.push_back(&walk);
  if (long_ones.empty()) return {};
  Yardstick yardstick;
  for (const size_t steps : {1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 400}) {
    rows.clear();
    for (size_t i = 0; i < kWalks; ++i) {
      const Episode& walk = *long_ones[i * long_ones.size() / kWalks];
      if (walk.rows() <= steps) continue;
      const size_t row = walk.first + (i * 7919) % (walk.rows() - steps);
      rows.insert(rows.end(), {row, row + steps});
    }
    if (rows.size() < 100) break;
    const Array psi = embed_rows(*source.run.model, source.data.observations, rows);
    std::vector<double> distances;
    for (size_t i = 0; i < rows.size(); i += 2)
      distances.push_back(std::sqrt(squared_distance(psi.row<float>(i), psi.row<float>(i + 1))));
    std::ranges::nth_element(distances, distances.begin() + distances.size() / 2);
    const double median = distances[distances.size() / 2];
    if (!yardstick.distances.empty() && median <= yardstick.distances.back()) continue;
    yardstick.steps.push_back(static_cast<double>(steps));
    yardstick.distances.push_back(median);
  }
  return yardstick;
}

// cells on foot, where there is a maze: "18 cells", "no way"
std::string on_foot(const Maze& maze, Point2 from, Point2 to) {
  const Cell a = maze.cell(from), b = maze.cell(to);
  if (!maze.free(a) || !maze.free(b)) return "-";
  const int cells = maze.distances(b)[a.i * maze.width() + a.j];
  return cells < 0 ? "no way" : str(cells, cells == 1 ? " cell" : " cells");
}

// of the tasks' goals, those that can be reached on foot from there
size_t goals_within_reach(const Maze& maze, std::span<const PlanarTask> tasks, Point2 from) {
  const Cell a = maze.cell(from);
  return std::ranges::count_if(tasks, [&](const PlanarTask& task) {
    return maze.free(a) && maze.distances(maze.cell(task.goal))[a.i * maze.width() + a.j] >= 0;
  });
}

std::string place_text(Point2 p) { return str("(", figure(p.x), ", ", figure(p.y), ")"); }

}  // namespace

ReportSection leaps_section(const ReportSource& source) {
  ReportSection section;
  if (source.sample.leap_count < kLeast || !source.sample.embedded()) return section;
  const auto [left, right] = std::ranges::minmax(source.sample.places, {}, &Point2::x);
  const auto [low, high] = std::ranges::minmax(source.sample.places, {}, &Point2::y);
  const std::vector<StateSample::Leap> leaps =
      meeting(source.sample.leaps, kSpot * std::max(right.x - left.x, high.y - low.y));
  const Yardstick yardstick = measure_walks(source);
  const Maze* maze = source.plane != nullptr ? source.plane->maze() : nullptr;
  const bool cut = source.run.config.settings<CutSettings>().jump_factor > 0;

  section.heading = str("Leaps: near in ", source.space, ", far on foot");
  ReportTable table{.header = {"from", "to", "leaps", "distance in " + source.space, "counts as steps on foot"},
                    .rows = {}};
  if (maze != nullptr) table.header.insert(table.header.end(), {"really on foot", "goals within reach"});
  for (const StateSample::Leap& leap : leaps) {
    std::vector<ReportCell> row = {place_text(leap.from), place_text(leap.to), with_commas(leap.count),
                                   figure(leap.psi), yardstick.read(leap.psi)};
    if (maze != nullptr) {
      row.push_back(on_foot(*maze, leap.from, leap.to));
      row.push_back(
          str(goals_within_reach(*maze, source.plane->tasks(), leap.to), " of ", source.plane->tasks().size()));
    }
    table.rows.push_back(std::move(row));
  }
  const std::string& psi = source.space;
  section.paragraphs = {
      str("The data leap ", with_commas(source.sample.leap_count),
          " times: from one row to the next the position changes by more than ten ordinary steps, as it does where an "
          "agent is teleported. Where leaps count as motion, ",
          psi,
          " puts both ends next to each other, and everything beyond an exit looks near to the entrance. That is a "
          "trap: the same entrance leads to several exits, none of which can be chosen, and some of them may lie where "
          "no way leads to the goal."),
      cut ? str("This run cut its episodes at leaps (jump_factor = ",
                figure(source.run.config.settings<CutSettings>().jump_factor), "), so that ", psi,
                ", model and graph know ways on foot only. The arrows below should cross many colours: both ends of a "
                "leap are as far apart as the walk between them.")
          : str("This run kept leaps as motion (jump_factor = 0, the paper's way). Where an arrow below stays within "
                "one colour, ",
                psi,
                " takes a leap for a short step, and the planner may walk into the entrance. Train with --set "
                "jump_factor=10 to cut episodes there.")};
  section.tables.push_back(std::move(table));

  // one picture for each entrance, the most used first
  std::vector<Point2> drawn;
  for (const StateSample::Leap& first : leaps) {
    if (std::ranges::find(drawn, first.from) != drawn.end() || drawn.size() == 2) continue;
    HeatMapOptions options{.title = str("Distance in ", source.space, " from an entrance"),
                           .caption = "arrows: leaps of the data",
                           .star = first.from,
                           .label = "distance",
                           .extent = 430};
    for (const StateSample::Leap& leap : leaps)
      if (leap.from == first.from && options.arrows.size() < 6)
        options.arrows.push_back({leap.from, leap.to, yardstick.read(leap.psi) + " steps"});
    const auto picture = source.plots / str("leaps-", drawn.size() + 1, ".png");
    draw_heat_map(picture, source.plan, source.sample.places, distances_from(source.sample, first.from_psi), options);
    section.pictures.push_back(
        {.file = picture,
         .caption = str("Leaps from ", place_text(first.from), ", and how many steps on foot ", psi, " takes each for"),
         .columns = 2});
    drawn.push_back(first.from);
  }
  return section;
}

}  // namespace alps

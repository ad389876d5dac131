// Teleports and other leaps of the data, for the report: what psi says of their two ends, and why that may be a trap
// (the paper's fig:teleport_issues; data/jumps.h).
#include <algorithm>
#include <cmath>

#include "alps/base/progress.h"
#include "alps/data/jumps.h"
#include "alps/draw/heat_map.h"
#include "alps/plan/rollout.h"
#include "alps/world/maze.h"
#include "cli/report_sections.h"

namespace alps::cli {
namespace {

constexpr double kFactor = 10;   // longer than so many ordinary steps: a leap
constexpr size_t kLeast = 5;     // leaps that are worth a section
constexpr size_t kEach = 30;     // leaps of a kind that psi is asked about
constexpr size_t kKinds = 24;    // rows of the table
constexpr double kSpot = 0.09;   // ends within this share of the world are one spot
constexpr size_t kWalks = 1500;  // walks for the yardstick

// leaps from about one spot to about another
struct Kind {
  Point2 from, to;
  size_t count = 0;
  std::vector<size_t> rows;  // before the leap, some of them
  double distance = 0;       // in psi, of both ends
  std::vector<float> psi;    // before the leap, the mean
};

// as observed: a teleported agent sees its new place one row after qpos has it, and psi is asked about observations
Array positions(const Dataset& data) {
  Array places(DType::kFloat32, {data.rows(), 2});
  for (size_t row = 0; row < data.rows(); ++row)
    std::copy_n(data.observations.row<float>(row).begin(), 2, &places.as<float>()[2 * row]);
  return places;
}

std::vector<Kind> find_kinds(const Array& places, const std::vector<Episode>& whole, const std::vector<Episode>& parts,
                             double spot) {
  const auto place = [&](size_t row) { return Point2{places.row<float>(row)[0], places.row<float>(row)[1]}; };
  std::vector<Kind> kinds;
  auto episode = whole.begin();
  for (const Episode& part : parts) {
    while (episode != whole.end() && episode->last < part.last) ++episode;
    if (episode == whole.end() || part.last == episode->last) continue;
    const Point2 from = place(part.last), to = place(part.last + 1);
    auto kind = std::ranges::find_if(
        kinds, [&](const Kind& k) { return distance(k.from, from) < spot && distance(k.to, to) < spot; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), Kind{.from = from, .to = to});
    ++kind->count;
    if (kind->rows.size() < kEach) kind->rows.push_back(part.last);
  }
  std::ranges::stable_sort(kinds, std::greater(), &Kind::count);
  if (kinds.size() > kKinds) kinds.resize(kKinds);
  // spots that several kinds share get one place, so that arrows meet there
  for (size_t i = 0; i < kinds.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (distance(kinds[i].from, kinds[j].from) < spot) kinds[i].from = kinds[j].from;
      if (distance(kinds[i].to, kinds[j].to) < spot) kinds[i].to = kinds[j].to;
    }
  return kinds;
}

void ask_psi(const ReportSource& source, std::vector<Kind>& kinds) {
  std::vector<size_t> rows;
  for (const Kind& kind : kinds)
    for (const size_t row : kind.rows) rows.insert(rows.end(), {row, row + 1});
  const Array psi = embed_rows(*source.run.model, source.data, rows);
  size_t at = 0;
  for (Kind& kind : kinds) {
    kind.psi.assign(psi.row_size(), 0.0f);
    for (size_t i = 0; i < kind.rows.size(); ++i, at += 2) {
      const auto before = psi.row<float>(at), after = psi.row<float>(at + 1);
      kind.distance += std::sqrt(squared_distance(before, after)) / static_cast<double>(kind.rows.size());
      for (size_t k = 0; k < before.size(); ++k) kind.psi[k] += before[k] / static_cast<float>(kind.rows.size());
    }
  }
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

Yardstick measure_walks(const ReportSource& source, const std::vector<Episode>& parts) {
  std::vector<size_t> rows;
  std::vector<const Episode*> long_ones;
  for (const Episode& part : parts)
    if (part.rows() > 2) long_ones.push_back(&part);
  if (long_ones.empty()) return {};
  Yardstick yardstick;
  for (const size_t steps : {1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 400}) {
    rows.clear();
    for (size_t i = 0; i < kWalks; ++i) {
      const Episode& part = *long_ones[i * long_ones.size() / kWalks];
      if (part.rows() <= steps) continue;
      const size_t row = part.first + (i * 7919) % (part.rows() - steps);
      rows.insert(rows.end(), {row, row + steps});
    }
    if (rows.size() < 100) break;
    const Array psi = embed_rows(*source.run.model, source.data, rows);
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
size_t goals_within_reach(const Maze& maze, const EnvSpec& spec, Point2 from) {
  const Cell a = maze.cell(from);
  return std::ranges::count_if(spec.tasks, [&](const EnvTask& task) {
    return maze.free(a) && maze.distances(maze.cell(task.goal))[a.i * maze.width() + a.j] >= 0;
  });
}

std::string place_text(Point2 p) { return str("(", figure(p.x), ", ", figure(p.y), ")"); }

}  // namespace

ReportSection leaps_section(const ReportSource& source) {
  ReportSection section;
  if (source.data.image() || source.data.observation_size() < 2) return section;
  const Array places = positions(source.data);
  const std::vector<Episode> parts = split_at_jumps(places, source.data.episodes, kFactor);
  const size_t leaps = parts.size() - source.data.episodes.size();
  if (leaps < kLeast) return section;

  const auto [left, right] = std::ranges::minmax(source.sample.places, {}, &Point2::x);
  const auto [low, high] = std::ranges::minmax(source.sample.places, {}, &Point2::y);
  const double spot = kSpot * std::max(right.x - left.x, high.y - low.y);
  std::vector<Kind> kinds = find_kinds(places, source.data.episodes, parts, spot);
  ask_psi(source, kinds);
  const Yardstick yardstick = measure_walks(source, parts);
  const Maze* maze = source.env != nullptr ? source.env->maze() : nullptr;
  const bool cut = source.run.config.train.jump_factor > 0;

  section.heading = "Leaps: near in psi, far on foot";
  ReportTable table{.header = {"from", "to", "leaps", "distance in psi", "counts as steps on foot"}, .rows = {}};
  if (maze != nullptr) table.header.insert(table.header.end(), {"really on foot", "goals within reach"});
  for (const Kind& kind : kinds) {
    std::vector<std::string> row = {place_text(kind.from), place_text(kind.to), with_commas(kind.count),
                                    figure(kind.distance), yardstick.read(kind.distance)};
    if (maze != nullptr) {
      row.push_back(on_foot(*maze, kind.from, kind.to));
      row.push_back(
          str(goals_within_reach(*maze, source.env->spec(), kind.to), " of ", source.env->spec().tasks.size()));
    }
    table.rows.push_back(std::move(row));
  }
  section.paragraphs = {
      str("The data leap ", with_commas(leaps),
          " times: from one row to the next the position changes by more than ten ordinary steps, as it does where an "
          "agent is teleported. Where leaps count as motion, psi puts both ends next to each other, and everything "
          "beyond an exit looks near to the entrance. That is a trap: the same entrance leads to several exits, none "
          "of "
          "which can be chosen, and some of them may lie where no way leads to the goal."),
      cut ? str("This run cut its episodes at leaps (jump_factor = ", figure(source.run.config.train.jump_factor),
                "), so that psi, model and graph know ways on foot only. The arrows below should cross many colours: "
                "both ends of a leap are as far apart as the walk between them.")
          : "This run kept leaps as motion (jump_factor = 0, the paper's way). Where an arrow below stays within one "
            "colour, psi takes a leap for a short step, and the planner may walk into the entrance. Train with --set "
            "jump_factor=10 to cut episodes there."};
  section.tables.push_back(std::move(table));

  // one picture for each entrance, the most used first
  std::vector<Point2> drawn;
  for (const Kind& first : kinds) {
    if (std::ranges::find(drawn, first.from) != drawn.end() || drawn.size() == 2) continue;
    HeatMapOptions options{.title = str("Distance in ", source.psi(), " from an entrance"),
                           .caption = "arrows: leaps of the data",
                           .star = first.from,
                           .label = "distance",
                           .extent = 430};
    for (const Kind& kind : kinds)
      if (kind.from == first.from && options.arrows.size() < 6)
        options.arrows.push_back({kind.from, kind.to, yardstick.read(kind.distance) + " steps"});
    const auto picture = source.plots / str("leaps-", drawn.size() + 1, ".png");
    draw_heat_map(picture, source.plan, source.sample.places, distances_from(source.sample, first.psi), options);
    section.pictures.push_back(
        {.file = picture,
         .caption = str("Leaps from ", place_text(first.from), ", and how many steps on foot psi takes each for"),
         .columns = 2});
    drawn.push_back(first.from);
  }
  return section;
}

}  // namespace alps::cli

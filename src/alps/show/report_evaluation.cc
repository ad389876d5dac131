// What alps eval measured, for the report: success, the ways that were taken, why failures failed.
#include <algorithm>
#include <cstdio>

#include "alps/base/shell_quoted.h"
#include "alps/draw/chart.h"
#include "alps/eval/statistics.h"
#include "alps/run/results.h"
#include "alps/show/report_sections.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

// what the cause of a failure means
const char* explanation(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSuccess: return "reached the goal";
    case Outcome::kNoRoute: return "the graph knew no way to the goal for most of the time";
    case Outcome::kTeleportTrap: return "a teleport released it where no way leads to the goal";
    case Outcome::kNearGoal: return "stayed in the goal's region without reaching the goal";
    case Outcome::kStuck: return "stayed in one other region, or stood still";
    case Outcome::kDrift: return "left its route again and again";
    case Outcome::kOutOfTime: return "moved on, but too slowly";
  }
  return "";
}

// evaluated episodes by task; where goals are drawn at random, each has its own
VariantResult variant_result(StoredResult stored, bool random_goals) {
  VariantResult result{.variant = stored.name(),
                       .census = stored.result.census(),
                       .mean_decision_ms = stored.result.mean_decision_ms(),
                       .seconds = stored.result.seconds};
  std::vector<TaskEpisodes>& tasks = result.tasks;
  for (EpisodeRecord& e : stored.result.episodes) {
    const std::string name = random_goals ? "random starts and goals" : str("task ", e.task);
    if (tasks.empty() || tasks.back().name != name) tasks.push_back({.name = name});
    EpisodePath way{.success = e.success};
    std::optional<Point2>& goal = random_goals ? way.goal : tasks.back().goal;
    if (!goal) goal = e.goal;
    way.points = std::move(e.path);
    tasks.back().episodes.push_back(std::move(way));
    result.decision_ms.insert(result.decision_ms.end(), e.decision_ms.begin(), e.decision_ms.end());
  }
  return result;
}

size_t successes_of(const TaskEpisodes& task) { return std::ranges::count_if(task.episodes, &EpisodePath::success); }

}  // namespace

size_t VariantResult::episodes() const {
  size_t count = 0;
  for (const TaskEpisodes& t : tasks) count += t.episodes.size();
  return count;
}

size_t VariantResult::successes() const { return census[0]; }

std::string rate_with_interval(size_t successes, size_t trials) {
  const Interval i = wilson(successes, trials);
  char text[64];
  std::snprintf(text, sizeof text, "%.1f (%.1f to %.1f)", 100.0 * successes / trials, 100 * i.low, 100 * i.high);
  return text;
}

std::vector<VariantResult> read_results(const ReportSource& source) {
  const bool random_goals = source.env != nullptr && source.env->spec().num_tasks == 1;
  std::vector<VariantResult> results;
  for (StoredResult& stored : newest_results(source.run.folder))
    if (!stored.result.episodes.empty()) results.push_back(variant_result(std::move(stored), random_goals));
  return results;
}

ReportSection success_section(const ReportSource& source, const std::vector<VariantResult>& results) {
  ReportSection section{.heading = "Success"};
  if (results.empty()) {
    section.paragraphs = {source.env == nullptr
                              ? "The data belong to no environment of the catalogue, so the run cannot be evaluated "
                                "here; alps plan and the library plan with it."
                              : str("Not evaluated yet: alps eval ", shell_quoted(source.run.folder.string()))};
    return section;
  }
  section.paragraphs = {"Share of episodes that ended at their goal, in per cent, with Wilson's 95 % interval."};
  if (source.run.graph) section.paragraphs[0] += " Each variant leaves a part of the planner out; alps is the whole.";
  std::vector<Bar> bars;
  for (const VariantResult& r : results) {
    const Interval i = wilson(r.successes(), r.episodes());
    bars.push_back({.label = r.variant,
                    .value = 100.0 * static_cast<double>(r.successes()) / static_cast<double>(r.episodes()),
                    .low = 100 * i.low,
                    .high = 100 * i.high});
  }
  if (results.size() > 1) {
    const fs::path picture = source.plots / "success.svg";
    draw_bars(picture, bars, {.value_label = "success, %", .low = 0, .high = 100, .width = 420});
    section.pictures.push_back({.file = picture, .caption = "Success of each variant over all tasks"});
  }
  ReportTable table{.header = {source.run.graph ? "variant" : "method"}, .rows = {}};
  // tasks that any variant was evaluated on
  std::vector<std::string> names;
  for (const VariantResult& r : results)
    for (const TaskEpisodes& t : r.tasks)
      if (std::ranges::find(names, t.name) == names.end()) names.push_back(t.name);
  std::ranges::sort(names);
  for (const std::string& name : names) table.header.push_back(name);
  if (names.size() > 1) table.header.push_back("overall");
  table.header.push_back("episodes");
  for (const VariantResult& r : results) {
    std::vector<ReportCell> row = {r.variant};
    for (const std::string& name : names) {
      const auto t = std::ranges::find(r.tasks, name, &TaskEpisodes::name);
      row.push_back(t == r.tasks.end() ? "-" : str(successes_of(*t), "/", t->episodes.size()));
    }
    if (names.size() > 1) row.push_back(rate_with_interval(r.successes(), r.episodes()));
    row.push_back(std::to_string(r.episodes()));
    table.rows.push_back(std::move(row));
  }
  section.tables.push_back(std::move(table));
  return section;
}

ReportSection episodes_section(const ReportSource& source, const std::vector<VariantResult>& results) {
  ReportSection section;
  if (results.empty() || results.front().tasks.front().episodes.front().points.empty()) return section;
  section.heading = "Trajectories";
  section.paragraphs = {
      "Every evaluated episode. Green ways arrived, red ones did not and end in a red dot; the dark dot is the start, "
      "the star the goal."};
  for (const VariantResult& r : results)
    for (size_t i = 0; i < r.tasks.size(); ++i) {
      const TaskEpisodes& task = r.tasks[i];
      const fs::path picture = source.plots / str("episodes-", r.variant, "-", i + 1, ".png");
      draw_episode_map(picture, source.plan, {&task, 1}, {.extent = 300, .head = false});
      section.pictures.push_back({.file = picture,
                                  .caption = str(r.variant, ", ", task.name, ": ", successes_of(task), " of ",
                                                 task.episodes.size(), " arrived"),
                                  .columns = &r != &results.front() ? size_t{5}
                                             : r.tasks.size() == 1  ? 2
                                                                    : 3,  // the first variant is what one looks for
                                  .new_row = i == 0});
    }
  return section;
}

ReportSection failures_section(const std::vector<VariantResult>& results) {
  ReportSection section;
  if (results.empty()) return section;
  section.heading = "Failures";
  ReportTable table{.header = {"why"}, .rows = {}};
  for (const VariantResult& r : results) table.header.push_back(r.variant);
  table.header.push_back("what it means");
  for (int o = 1; o < kOutcomes; ++o) {
    std::vector<ReportCell> row = {outcome_name(static_cast<Outcome>(o))};
    size_t all = 0;
    for (const VariantResult& r : results) {
      row.push_back(r.census[o] > 0 ? std::to_string(r.census[o]) : "-");
      all += r.census[o];
    }
    row.push_back(explanation(static_cast<Outcome>(o)));
    if (all > 0) table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) {
    section.paragraphs = {"None: every evaluated episode reached its goal."};
  } else {
    section.paragraphs = {"Each failed episode is given one cause, from its last 200 decisions."};
    section.tables.push_back(std::move(table));
  }
  return section;
}

}  // namespace alps

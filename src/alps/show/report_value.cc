// The value of a baseline, for the report: how near every state is to the goal of each task, as its networks have it.
#include <cmath>

#include "alps/draw/heat_map.h"
#include "alps/plan/goal_value.h"
#include "alps/show/report_sections.h"

namespace alps {
namespace {

constexpr size_t kStates = 20'000;  // each passes two networks or more for each goal

// of some of the sample's states
struct Shown {
  std::vector<Point2> places;
  std::vector<float> states;  // normalized
};

std::vector<float> state_of(const ReportSource& source, size_t i) {
  std::vector<float> buffer;
  return source.run.bundle->state_of(source.data.observations.floats(source.sample.rows[i], buffer));
}

Shown shown_states(const ReportSource& source) {
  Shown shown;
  const size_t n = source.sample.size(), stride = std::max<size_t>(1, n / kStates);
  for (size_t i = 0; i < n; i += stride) {
    shown.places.push_back(source.sample.places[i]);
    const std::vector<float> state = state_of(source, i);
    shown.states.insert(shown.states.end(), state.begin(), state.end());
  }
  return shown;
}

}  // namespace

ReportSection value_section(const ReportSource& source) {
  const std::string name = goal_value_name(*source.run.bundle);
  if (name.empty() || source.run.model->image() || source.sample.places.empty()) return {};
  std::vector<Point2> goals;
  if (source.plane != nullptr)
    for (const PlanarTask& task : source.plane->tasks()) goals.push_back(task.goal);
  if (goals.empty()) goals = {source.sample.places.front()};

  const Shown shown = shown_states(source);
  std::vector<std::vector<float>> values;
  std::vector<std::string> titles;
  for (size_t i = 0; i < goals.size(); ++i) {
    values.push_back(goal_values(*source.run.bundle, shown.states, state_of(source, source.sample.nearest(goals[i])),
                                 source.run.config.threads));
    titles.push_back(str("Goal of task ", i + 1));
  }
  draw_heat_maps(source.plots / "value.png", source.plan, shown.places, values, titles, 0,
                 {.title = "Value", .label = name, .diverging = false});
  ReportSection section{.heading = "The value"};
  section.paragraphs = {str("What the networks of ", source.run.config.method,
                            " say of the way to the goal of each task: the ", name,
                            ". The higher, the nearer; colours should follow the corridors, not the straight line.")};
  section.pictures = {{.file = source.plots / "value.png", .caption = str("The ", name, ", from every state")}};
  return section;
}

}  // namespace alps

#include "viewer/view_run.h"

#include <cmath>

#include "alps/collect/recipe.h"
#include "alps/data/cuts.h"
#include "alps/plan/goal_value.h"
#include "alps/show/places.h"
#include "alps/show/run_words.h"
#include "alps/show/shortcuts.h"
#include "alps/world/catalog.h"
#include "alps/world/maze.h"
#include "alps/world/planar_view.h"
#include "viewer/json.h"
#include "viewer/scene_json.h"
#include "viewer/settings.h"

namespace alps::viewer {
namespace {

constexpr size_t kMostColumns = 256;  // that can be chosen as axes
constexpr size_t kImages = 4000;      // states in the sample, where they are images

nlohmann::json graph_json(const ViewRun& view) {
  if (!view.plans()) return nullptr;
  const ClusterGraph& graph = *view.run.graph;
  const size_t k = graph.clusters();
  nlohmann::json edges = nlohmann::json::array(), nodes = nlohmann::json::array();
  const auto kept = kept_neighbours(graph, graph.top_p);
  for (size_t a = 0; a < k; ++a)
    for (const int b : kept[a])
      if (static_cast<size_t>(b) > a)
        edges.push_back({a, b, graph.passages[a * k + b], graph.passages[b * k + a], rounded(graph.length(a, b))});
  for (const size_t node : view.nodes)
    nodes.push_back(node < view.sample.size() ? nlohmann::json(node) : nlohmann::json());
  const std::vector<bool> trapping = traps(graph);
  return {{"clusters", k},  {"sizes", graph.sizes}, {"nodes", nodes},
          {"edges", edges}, {"traps", trapping},    {"top_p", graph.top_p}};
}

// an environment that Python has brought: no plan of it, but it may do other things
nlohmann::json guest_json(const guest::GuestSpec& about) {
  nlohmann::json tasks = nlohmann::json::array();
  if (about.own_goals) tasks.push_back(nlohmann::json::object());
  return {{"name", about.env.name}, {"bounds", nullptr},
          {"tasks", tasks},         {"max_steps", about.env.max_episode_steps},
          {"starts", about.starts}, {"goals", true},
          {"judges", about.judges}, {"pictures", about.pictures}};
}

// a world without a plane: its tasks, and no places to choose
nlohmann::json tasks_json(const EnvSpec& spec) {
  return {{"name", spec.name},
          {"bounds", nullptr},
          {"tasks", std::vector<nlohmann::json>(spec.num_tasks, nlohmann::json::object())},
          {"max_steps", spec.max_episode_steps},
          {"starts", false},
          {"goals", false},
          {"judges", true},
          {"pictures", false}};
}

nlohmann::json world_json(const Env& env) {
  if (const auto* guest = dynamic_cast<const guest::GuestEnv*>(&env)) return guest_json(guest->about());
  if (env.planar() == nullptr) return tasks_json(env.spec());
  const PlanarView& plane = *env.planar();
  const Floorplan plan = plane.floorplan();
  nlohmann::json walls = nlohmann::json::array(), marks = nlohmann::json::array(), tasks = nlohmann::json::array();
  for (const Rect& w : plan.walls) walls.push_back({w.low.x, w.low.y, w.high.x, w.high.y});
  for (const auto& m : plan.marks)
    marks.push_back({{"x", m.center.x}, {"y", m.center.y}, {"radius", m.radius}, {"kind", m.kind}});
  for (const PlanarTask& t : plane.tasks()) tasks.push_back({{"start", json_of(t.start)}, {"goal", json_of(t.goal)}});
  return {{"name", env.spec().name},
          {"bounds", {plan.bounds.low.x, plan.bounds.low.y, plan.bounds.high.x, plan.bounds.high.y}},
          {"walls", walls},
          {"marks", marks},
          {"tasks", tasks},
          {"tolerance", plane.goal_tolerance()},
          {"max_steps", env.spec().max_episode_steps},
          {"starts", true},
          {"goals", true},
          {"judges", true},
          {"pictures", false}};
}

nlohmann::json finite_or_null(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); }

// places that only seem near, and the doors that make them so
nlohmann::json traps_json(const ViewRun& view) {
  nlohmann::json leaps = nlohmann::json::array(), pairs = nlohmann::json::array();
  for (const StateSample::Leap& l : view.sample.leaps)
    leaps.push_back({{"from", json_of(l.from)},
                     {"to", json_of(l.to)},
                     {"from_cluster", l.from_cluster},
                     {"to_cluster", l.to_cluster},
                     {"count", l.count},
                     {"psi", rounded(l.psi)}});
  const Maze* maze = view.env ? maze_of(*view.env) : nullptr;
  if (maze != nullptr && view.sample.embedded())
    for (const Shortcut& s : shortcuts(*maze, view.sample, view.nodes))
      pairs.push_back(
          {{"from", s.from}, {"to", s.to}, {"psi", rounded(s.psi)}, {"cells", s.cells}, {"looks_like", s.looks_like}});
  return {{"leaps", leaps},
          {"shortcuts", pairs},
          {"leap", {finite_or_null(view.sample.leap.x), finite_or_null(view.sample.leap.y)}},
          {"teleports", maze != nullptr && !maze->teleport_in.empty()},
          {"cut", view.run.config.settings<CutSettings>().jump_factor > 0}};
}

// the guest's environment, if it shows what the run was trained on
std::unique_ptr<Env> guest_env(const Run& run, std::shared_ptr<guest::Guest> guest) {
  const EnvSpec& spec = guest->spec()->env;
  const Model& model = *run.model;
  if (spec.image != model.image() || spec.observation_size() != model.observation_size() ||
      static_cast<size_t>(spec.action_size) != model.action_size())
    throw UsageError(spec.name, " shows ", spec.observation_size(), spec.image ? " bytes" : " numbers", " and takes ",
                     spec.action_size, " for an action; the run was trained on ", model.observation_size(),
                     model.image() ? " bytes" : " numbers", " and ", model.action_size(), " for an action");
  return std::make_unique<guest::GuestEnv>(std::move(guest));
}

}  // namespace

size_t ViewRun::columns() const {
  const bool floats = sample.observations.dtype() == DType::kFloat32;
  return floats ? std::min(kMostColumns, sample.observations.row_size()) : 0;
}

nlohmann::json ViewRun::about() const {
  const Axes axes = default_axes(*this);
  return {{"run", run.folder.filename().string()},
          {"data", run.config.data_name},
          {"rows", run.config.survey.rows},
          {"method", run.config.method},
          {"space", space_name(run)},
          {"value", value_name()},
          {"states", sample.size()},
          {"dimensions", run.model->eigenvectors()},
          {"eigenvalues", run.model->eigenvalues},
          {"state_size", run.model->state_size()},
          {"action_size", run.model->action_size()},
          {"columns", columns()},
          {"places", !sample.places.empty()},
          {"axes", {axes[0].text(), axes[1].text()}},
          {"planner", plans() ? table() : nlohmann::json()},
          {"world", env ? world_json(*env) : nlohmann::json()},
          {"scene", scene ? scene_json(*env) : nlohmann::json()},
          {"graph", graph_json(*this)},
          {"near", traps_json(*this)}};
}

std::string ViewRun::samples() const {
  std::vector<float> out;
  if (sample.embedded()) out.assign(sample.psi.as<float>().begin(), sample.psi.as<float>().end());
  for (const Point2 p : sample.places) out.insert(out.end(), {static_cast<float>(p.x), static_cast<float>(p.y)});
  out.insert(out.end(), sample.labels.begin(), sample.labels.end());
  return {reinterpret_cast<const char*>(out.data()), out.size() * sizeof(float)};
}

std::string ViewRun::meshes() const { return scene ? scene_meshes(*env->body()) : ""; }

std::string ViewRun::column(size_t index) const {
  std::vector<float> out;
  for (size_t i = 0; i < sample.size(); ++i) out.push_back(sample.observations.row<float>(i)[index]);
  return {reinterpret_cast<const char*>(out.data()), out.size() * sizeof(float)};
}

std::string ViewRun::value_name() const {
  return run.model->image() || sample.observations.size() == 0 ? "" : goal_value_name(*run.bundle);
}

std::string ViewRun::value(size_t goal) const {
  if (value_name().empty() || goal >= sample.size())
    throw UsageError("no value: the run's method learns none, or there is no state ", goal);
  std::vector<float> states;
  for (size_t i = 0; i < sample.size(); ++i) {
    const std::vector<float> state = run.bundle->state_of(sample.observations.row<float>(i));
    states.insert(states.end(), state.begin(), state.end());
  }
  const size_t size = run.bundle->state_size();
  const std::vector<float> out =
      goal_values(*run.bundle, states, std::span(states).subspan(goal * size, size), run.config.threads);
  return {reinterpret_cast<const char*>(out.data()), out.size() * sizeof(float)};
}

ViewRun open_view(const std::filesystem::path& folder, std::shared_ptr<guest::Guest> guest) {
  ViewRun view{.run = open_run(folder), .env = nullptr, .sample = {}, .nodes = {}, .choice = {}};
  std::unique_ptr<Env> env;
  if (find_recipe(view.run.config.data_name) != nullptr) env = make_env(view.run.env_name());
  StateSampleParams params{.world = plane_of(env.get())};
  if (!view.run.model->trunk.empty()) params.states = kImages;
  const Model& model = *view.run.model;
  view.sample = sample_states(load_for_sample(view.run.config.data_path, model), model, view.run.graph.get(), params);
  if (view.plans()) view.nodes = view.sample.nodes(*view.run.graph);
  if (!view.sample.embedded() && view.sample.places.empty() && view.columns() == 0)
    throw Error(folder.string(), ": there is nothing to look at: ", view.run.config.method,
                " learns no map, and the data are images without places; use alps eval and alps plot");
  // one can not be put where one knows no places
  if (guest && guest->spec())
    view.env = guest_env(view.run, std::move(guest));
  else if (env && (env->planar() == nullptr || (env->placement() && !view.sample.places.empty())))
    view.env = std::move(env);
  view.scene = view.env != nullptr && has_scene(*view.env);
  return view;
}

Axis Axis::parse(const ViewRun& view, const std::string& text) {
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon), number = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool digits =
      !number.empty() && number.size() <= 6 && number.find_first_not_of("0123456789") == std::string::npos;
  const size_t index = digits ? std::stoul(number) : 0;
  if (digits && kind == "place" && !view.sample.places.empty() && index < 2) return {Kind::kPlace, index};
  if (digits && kind == "psi" && index < view.run.model->eigenvectors()) return {Kind::kPsi, index};
  if (digits && kind == "observation" && index < view.columns()) return {Kind::kObservation, index};
  throw UsageError("no axis '", text, "'; there are place:0, place:1, psi:0 and so on, observation:0 and so on");
}

std::string Axis::text() const {
  const char* names[] = {"place:", "psi:", "observation:"};
  return names[static_cast<int>(kind)] + std::to_string(index);
}

Axes default_axes(const ViewRun& view) {
  // where there is no map: columns that move as a position does; or else the first two eigenfunctions, which are a map
  // of their own; without these, the first two columns
  const bool embedded = view.sample.embedded();
  const bool map = !view.sample.places.empty() && (view.mapped() || view.columns() == 0 || !embedded);
  const auto& position = view.sample.place_columns;
  if (!map && position && (*position)[1] < view.columns())
    return {Axis{Axis::Kind::kObservation, (*position)[0]}, Axis{Axis::Kind::kObservation, (*position)[1]}};
  if (map) return {Axis{Axis::Kind::kPlace, 0}, Axis{Axis::Kind::kPlace, 1}};
  const auto kind = embedded ? Axis::Kind::kPsi : Axis::Kind::kObservation;
  const size_t last = (embedded ? view.run.model->eigenvectors() : view.columns()) - 1;
  return {Axis{kind, 0}, Axis{kind, std::min<size_t>(1, last)}};
}

std::vector<Point2> project(const ViewRun& view, const Axes& axes, std::span<const float> states,
                            std::vector<Point2> places) {
  const Model& model = *view.run.model;
  const size_t s = model.state_size(), z = model.eigenvectors(), n = states.size() / s;
  const auto looks = [&](Axis::Kind kind) { return axes[0].kind == kind || axes[1].kind == kind; };
  std::vector<float> psi;
  if (looks(Axis::Kind::kPsi)) {
    psi.resize(n * z);
    model.psi(states, psi);
  }
  if (looks(Axis::Kind::kPlace) && places.empty()) places = places_of(model, view.sample, states);
  const auto along = [&](Axis axis, size_t i) -> double {
    if (axis.kind == Axis::Kind::kPsi) return psi[i * z + axis.index];
    if (axis.kind == Axis::Kind::kPlace) return axis.index == 0 ? places[i].x : places[i].y;
    return states[i * s + axis.index] * model.deviation[axis.index] + model.mean[axis.index];
  };
  std::vector<Point2> points;
  for (size_t i = 0; i < n; ++i) points.push_back({along(axes[0], i), along(axes[1], i)});
  return points;
}

}  // namespace alps::viewer

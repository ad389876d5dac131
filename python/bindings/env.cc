// alps._core.Env: a native environment, wrapped for Gymnasium by python/alps/envs.py.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "alps/world/arm_view.h"
#include "alps/world/catalog.h"
#include "alps/world/physics_view.h"
#include "alps/world/planar_view.h"
#include "bindings/module.h"

namespace alps::python {
namespace {

using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Place = std::pair<double, double>;

nb::object observation_of(const Env& env, Observation seen) {
  const Shape& shape = env.spec().observation_shape;
  if (seen.image()) return nb::cast(to_numpy(std::vector<uint8_t>(seen.bytes().begin(), seen.bytes().end()), shape));
  return nb::cast(to_numpy(std::vector<float>(seen.floats().begin(), seen.floats().end()), shape));
}

Place place(Point2 p) { return {p.x, p.y}; }

// what only some environments have, None in the others
template <class View, class Ask>
auto of_view(const View* view, const Ask& ask) {
  using Value = decltype(ask(*view));
  return view != nullptr ? std::optional<Value>(ask(*view)) : std::nullopt;
}

Numpy<double> doubles(std::span<const double> values) {
  return to_numpy(std::vector<double>(values.begin(), values.end()), {values.size()});
}

}  // namespace

void add_env(nb::module_& m) {
  nb::class_<Env>(m, "Env", "A native environment; see alps.make_env.")
      .def_prop_ro("name", [](const Env& e) { return e.spec().name; })
      .def_prop_ro("observation_shape", [](const Env& e) { return nb::tuple(nb::cast(e.spec().observation_shape)); })
      .def_prop_ro("image", [](const Env& e) { return e.spec().image; })
      .def_prop_ro("action_size", [](const Env& e) { return e.spec().action_size; })
      .def_prop_ro("action_limit", [](const Env& e) { return e.spec().action_limit; })
      .def_prop_ro("max_episode_steps", [](const Env& e) { return e.spec().max_episode_steps; })
      .def_prop_ro("num_tasks", [](const Env& e) { return e.spec().num_tasks; })
      .def_prop_ro(
          "goal_tolerance",
          [](const Env& e) { return of_view(e.planar(), [](const PlanarView& v) { return v.goal_tolerance(); }); })
      .def_prop_ro("tasks",
                   [](const Env& e) {
                     std::vector<std::pair<Place, Place>> tasks;
                     if (const PlanarView* plane = e.planar())
                       for (const PlanarTask& t : plane->tasks()) tasks.emplace_back(place(t.start), place(t.goal));
                     return tasks;
                   })
      .def(
          "reset", [](Env& e, int task, uint64_t seed) { e.reset(task, Rng(seed)); }, nb::arg("task"), nb::arg("seed"))
      .def(
          "reset_to",
          [](Env& e, Place start, Place goal, uint64_t seed) {
            if (e.placement() == nullptr)
              throw UsageError(e.spec().name, " has no places to start at; give task_id instead of start and goal");
            e.placement()->reset({start.first, start.second}, {goal.first, goal.second}, Rng(seed));
          },
          nb::arg("start"), nb::arg("goal"), nb::arg("seed"))
      .def(
          "step",
          [](Env& e, const Doubles& action) {
            if (action.size() != static_cast<size_t>(e.spec().action_size))
              throw UsageError("an action of ", e.spec().name, " has ", e.spec().action_size, " numbers, not ",
                               action.size());
            const nb::gil_scoped_release unlocked;
            const StepResult r = e.step(span_of(action));
            return std::tuple(r.success, r.terminated, r.truncated);
          },
          nb::arg("action"), "(success, terminated, truncated)")
      .def_prop_ro("observation", [](const Env& e) { return observation_of(e, e.observation()); })
      .def_prop_ro("goal_observation", [](const Env& e) { return observation_of(e, e.goal_observation()); })
      .def_prop_ro(
          "qpos",
          [](const Env& e) { return of_view(e.physics(), [](const PhysicsView& v) { return doubles(v.qpos()); }); },
          kOwned)
      .def_prop_ro(
          "qvel",
          [](const Env& e) { return of_view(e.physics(), [](const PhysicsView& v) { return doubles(v.qvel()); }); },
          kOwned)
      .def_prop_ro(
          "button_states",
          [](const Env& e) {
            return of_view(e.arm(), [](const ArmView& v) {
              const auto states = v.button_states();
              return to_numpy(std::vector<int64_t>(states.begin(), states.end()), {states.size()});
            });
          },
          kOwned)
      .def_prop_ro(
          "position",
          [](const Env& e) { return of_view(e.planar(), [](const PlanarView& v) { return place(v.position()); }); })
      .def_prop_ro(
          "goal", [](const Env& e) { return of_view(e.planar(), [](const PlanarView& v) { return place(v.goal()); }); })
      .def_prop_rw(
          "state",
          [](const Env& e) {
            const std::vector<double> state = e.state();
            return to_numpy(state, {state.size()});
          },
          [](Env& e, const Doubles& state) { e.set_state(span_of(state)); }, nb::for_getter(kOwned));
  m.def(
      "make_env",
      [](const std::string& name, bool terminate_at_goal, int max_episode_steps) {
        const nb::gil_scoped_release unlocked;
        return make_env(name, {.terminate_at_goal = terminate_at_goal, .max_episode_steps = max_episode_steps});
      },
      nb::arg("name"), nb::arg("terminate_at_goal") = true, nb::arg("max_episode_steps") = 0);
  m.def("env_names", [] {
    std::vector<std::string> names;
    for (const CatalogEntry& entry : env_catalog())
      if (entry.available) names.push_back(entry.name);
    return names;
  });
}

}  // namespace alps::python

// alps._core.Agent and Decision.
#include "alps/run/agent.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "bindings/module.h"

namespace alps::python {
namespace {

// Episodes have an order, so calls at once from several threads are refused rather than mixed. What does not change,
// the model, may be used by any number of threads.
class LockedAgent {
 public:
  explicit LockedAgent(Agent agent) : agent_(std::move(agent)) {}

  const Agent& agent() const { return agent_; }

  template <class Body>
  auto use(Body&& body) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock)
      throw Error("another thread is using this agent; give each thread its own: agent.clone() shares the model");
    return body(agent_);
  }

 private:
  Agent agent_;
  std::mutex mutex_;
};

std::unique_ptr<LockedAgent> load(const std::string& run, const PlannerChoice& choice, int clusters, uint64_t seed,
                                  int threads) {
  const nb::gil_scoped_release unlocked;
  Run opened = open_run(run, {.clusters = clusters, .threads = threads});
  PlannerConfig config = planner_config(opened, choice);
  return std::make_unique<LockedAgent>(Agent(std::move(opened), std::move(config), seed));
}

template <class T>
Numpy<float> embed_rows(const LockedAgent& self, const nb::ndarray<const T, nb::c_contig, nb::device::cpu>& rows,
                        int threads) {
  const Model& model = *self.agent().run().model;
  const size_t n = rows.size() / model.observation_size();
  std::vector<float> psi(n * model.eigenvectors());
  {
    const nb::gil_scoped_release unlocked;
    embed(model, span_of(rows), psi, threads);
  }
  return to_numpy(std::move(psi), {n, model.eigenvectors()});
}

// a member of a decision, as an array that shares its memory
template <class T>
nb::ndarray<nb::numpy, const T> member(nb::handle self, const std::vector<T>& values) {
  return nb::ndarray<nb::numpy, const T>(values.data(), {values.size()}, self);
}

#define ALPS_MEMBER(type, name, doc) \
  def_prop_ro(                       \
      #name, [](nb::handle self) { return member<type>(self, nb::cast<const Decision&>(self).name); }, doc)

void add_decision(nb::module_& m) {
  nb::class_<Decision>(m, "Decision", "An action, and how it was found. Arrays are read-only views of it.")
      .ALPS_MEMBER(float, action, "what to do, (action_size,)")
      .def_ro("cluster", &Decision::cluster, "region of the state; -1 without a graph")
      .def_ro("target", &Decision::target, "region of the subgoal")
      .def_ro("goal_cluster", &Decision::goal_cluster, "region of the goal")
      .ALPS_MEMBER(int, route, "regions still ahead, the own one first")
      .ALPS_MEMBER(float, psi, "psi of the state, (eigenvectors,)")
      .ALPS_MEMBER(float, subgoal, "psi that the search steers to, (eigenvectors,)")
      .def_ro("subgoal_distance", &Decision::subgoal_distance, "in psi")
      .def_ro("goal_distance", &Decision::goal_distance, "in psi")
      .def_ro("replanned", &Decision::replanned, "the state had drifted off the route")
      .def_ro("advanced", &Decision::advanced, "the state entered the target region")
      .def_ro("detour", &Decision::detour, "a passage led nowhere for too long and was closed")
      .def_ro("no_route", &Decision::no_route, "the graph knows no way: heading for the goal directly")
      .def_ro("top_p", &Decision::top_p, "pruning that left the route open")
      .def_prop_ro(
          "plan",
          [](nb::handle self) {
            const auto& d = nb::cast<const Decision&>(self);
            const size_t size = d.action.size();
            return nb::ndarray<nb::numpy, const float>(d.plan.data(), {size ? d.plan.size() / size : 0, size}, self);
          },
          "actions from now on, (horizon, action_size)")
      .def_ro("kept_plan", &Decision::kept_plan, "the search started from the last plan")
      .ALPS_MEMBER(float, best_costs, "least cost after each iteration of the search")
      .ALPS_MEMBER(float, elite_costs, "mean cost of the elites of each iteration")
      .def_ro("total_ms", &Decision::total_ms)
      .def_ro("embed_ms", &Decision::embed_ms)
      .def_ro("propose_ms", &Decision::propose_ms)
      .def_ro("search_ms", &Decision::search_ms);
}

}  // namespace

void add_agent(nb::module_& m) {
  add_decision(m);
  nb::class_<LockedAgent>(m, "Agent", "Planners of a run; see alps.Agent.")
      .def_prop_ro("folder", [](const LockedAgent& a) { return a.agent().run().folder.string(); })
      .def_prop_ro("data_name", [](const LockedAgent& a) { return a.agent().run().config.data_name; })
      .def_prop_ro("env_name", [](const LockedAgent& a) { return a.agent().run().env_name(); })
      .def_prop_ro("variant", [](const LockedAgent& a) { return a.agent().config().variant; })
      .def_prop_ro("action_limit", [](const LockedAgent& a) { return a.agent().config().action_limit; })
      .def_prop_ro("observation_shape",
                   [](const LockedAgent& a) {
                     const Model& model = *a.agent().run().model;
                     return nb::tuple(nb::cast(model.trunk.empty() ? Shape{model.state_size()} : model.trunk.image()));
                   })
      .def_prop_ro("image", [](const LockedAgent& a) { return !a.agent().run().model->trunk.empty(); })
      .def_prop_ro("action_size", [](const LockedAgent& a) { return a.agent().run().model->action_size(); })
      .def_prop_ro("eigenvectors", [](const LockedAgent& a) { return a.agent().run().model->eigenvectors(); })
      .def_prop_ro(
          "eigenvalues",
          [](const LockedAgent& a) {
            const auto& values = a.agent().run().model->eigenvalues;
            return to_numpy(values, {values.size()});
          },
          kOwned)
      .def_prop_ro(
          "centers",
          [](const LockedAgent& a) {
            const ClusterGraph& graph = *a.agent().run().graph;
            return to_numpy(graph.centers, {graph.clusters(), graph.dim});
          },
          kOwned)
      .def(
          "clone",
          [](const LockedAgent& self, uint64_t seed) {
            return std::make_unique<LockedAgent>(self.agent().clone(seed));
          },
          nb::arg("seed"))
      .def(
          "reset",
          [](LockedAgent& self, const Floats& goals, std::optional<uint64_t> seed) {
            const nb::gil_scoped_release unlocked;
            self.use([&](Agent& agent) { agent.reset(span_of(goals), seed); });
          },
          nb::arg("goals"), nb::arg("seed") = nb::none())
      .def(
          "plan",
          [](LockedAgent& self, const Floats& observations, const std::optional<Floats>& goals,
             std::optional<uint64_t> seed, int threads) {
            const nb::gil_scoped_release unlocked;
            return self.use([&](Agent& agent) {
              return agent.plan(span_of(observations), goals ? span_of(*goals) : std::span<const float>(), seed,
                                threads);
            });
          },
          nb::arg("observations"), nb::arg("goals") = nb::none(), nb::arg("seed") = nb::none(), nb::arg("threads") = 0)
      .def("embed", &embed_rows<float>, nb::arg("observations"), nb::arg("threads") = 0)
      .def("embed", &embed_rows<uint8_t>, nb::arg("observations"), nb::arg("threads") = 0);
  m.def(
      "load",
      [](const std::string& run, const std::string& variant, const std::string& planner, double budget_ms,
         std::vector<std::string> set, int clusters, uint64_t seed, int threads) {
        return load(run, {variant, planner, budget_ms, std::move(set)}, clusters, seed, threads);
      },
      nb::arg("run"), nb::arg("variant"), nb::arg("planner"), nb::arg("budget_ms"), nb::arg("set"), nb::arg("clusters"),
      nb::arg("seed"), nb::arg("threads"));
}

}  // namespace alps::python

// alps._core.Agent and Decision.
#include "alps/run/agent.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "alps/plan/decision_json.h"
#include "alps/plan/familiarity.h"
#include "alps/run/policies.h"
#include "bindings/module.h"

namespace alps::python {
namespace {

// Episodes have an order, so calls at once from several threads are refused rather than mixed. What does not change,
// the model, may be used by any number of threads.
class LockedAgent {
 public:
  LockedAgent(std::shared_ptr<const Run> run, std::string variant, PlannerSettings settings, Agent agent)
      : run_(std::move(run)), variant_(std::move(variant)), settings_(std::move(settings)), agent_(std::move(agent)) {}

  const Run& run() const { return *run_; }
  const std::string& variant() const { return variant_; }
  const PlannerSettings& settings() const { return settings_; }
  const PolicySpec& spec() const { return agent_.spec(); }
  std::unique_ptr<LockedAgent> clone(uint64_t seed) const {
    return std::make_unique<LockedAgent>(run_, variant_, settings_, agent_.clone(seed));
  }

  template <class Body>
  auto use(Body&& body) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock)
      throw Error("another thread is using this agent; give each thread its own: agent.clone() shares the model");
    return body(agent_);
  }

 private:
  std::shared_ptr<const Run> run_;
  std::string variant_;
  PlannerSettings settings_;
  Agent agent_;
  std::mutex mutex_;
};

std::unique_ptr<LockedAgent> load(const std::string& run, const PolicyChoice& choice, int clusters, uint64_t seed,
                                  int threads) {
  const nb::gil_scoped_release unlocked;
  auto opened = std::make_shared<const Run>(open_run(run, {.clusters = clusters, .threads = threads}));
  PlannerSettings settings = planner_settings(*opened, choice);
  Agent agent(make_policy(*opened, choice.variant, settings), seed);
  return std::make_unique<LockedAgent>(std::move(opened), choice.variant, std::move(settings), std::move(agent));
}

template <class T>
Numpy<float> embed_rows(const LockedAgent& self, const nb::ndarray<const T, nb::c_contig, nb::device::cpu>& rows,
                        int threads) {
  const Model* known = self.run().model.get();
  const Model other = known->representation.empty() ? embedding_model(*self.run().bundle) : Model();
  const Model& model = known->representation.empty() ? other : *known;
  const size_t n = rows.size() / model.observation_size();
  std::vector<float> psi(n * model.eigenvectors());
  {
    const nb::gil_scoped_release unlocked;
    embed(model, span_of(rows), psi, threads);
  }
  return to_numpy(std::move(psi), {n, model.eigenvectors()});
}

template <class Array>
void reset(LockedAgent& self, const Array& goals, std::optional<uint64_t> seed) {
  const nb::gil_scoped_release unlocked;
  self.use([&](Agent& agent) { agent.reset(span_of(goals), seed); });
}

template <class Array>
std::vector<Decision> plan(LockedAgent& self, const Array& observations, const std::optional<Array>& goals,
                           std::optional<uint64_t> seed, int threads) {
  const nb::gil_scoped_release unlocked;
  return self.use([&](Agent& agent) {
    return agent.plan(span_of(observations), goals ? Observation(span_of(*goals)) : Observation(), seed, threads);
  });
}

// a table of settings as a dict, with Python's own types
nb::dict to_dict(const Profile& profile) {
  nb::dict values;
  for (const Setting& s : profile.settings())
    std::visit([&](const auto& value) { values[s.key.c_str()] = value; }, s.value);
  return values;
}

std::string text_of(const Decision& d) {
  std::string action;
  for (const float a : d.action) action += str(action.empty() ? "" : ", ", a);
  std::string text = str("<alps.Decision action=[", action, "]");
  if (d.cluster >= 0) text += str(", cluster ", d.cluster, d.target >= 0 ? str(" -> ", d.target) : "");
  if (d.no_route) text += ", no route";
  if (d.off_data > kOffData) text += ", observation outside the data";
  if (d.goal_off_data > kOffData) text += ", goal outside the data";
  if (!d.route.empty()) text += str(", ", d.route.size() - 1, " clusters to go");
  return text + str(", ", d.total_ms, " ms>");
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
      .def_ro("off_data", &Decision::off_data,
              "how far the observation lies from the data: up to 1 within them, more outside; -1: not known")
      .def_ro("goal_off_data", &Decision::goal_off_data, "the same of the goal")
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
      .def_ro("closed_from", &Decision::closed_from, "this passage; -1: none")
      .def_ro("closed_to", &Decision::closed_to)
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
      .def_ro("search_ms", &Decision::search_ms)
      .def_prop_ro(
          "trace",
          [](const Decision& d) { return nb::module_::import_("json").attr("loads")(decision_json(d).dump()); },
          "the whole decision as a dict of plain numbers and lists, as `alps plan --json` prints it")
      .def("__repr__", &text_of);
}

}  // namespace

void add_agent(nb::module_& m) {
  add_decision(m);
  nb::class_<LockedAgent>(m, "Agent", "Policies of a run; see alps.Agent.")
      .def_prop_ro("folder", [](const LockedAgent& a) { return a.run().folder.string(); })
      .def_prop_ro("data_name", [](const LockedAgent& a) { return a.run().config.data_name; })
      .def_prop_ro("env_name", [](const LockedAgent& a) { return a.run().env_name(); })
      .def_prop_ro("variant", [](const LockedAgent& a) { return a.variant(); })
      .def_prop_ro("settings", [](const LockedAgent& a) { return to_dict(planner_profile(a.settings())); })
      .def_prop_ro(
          "action_limit",
          [](const LockedAgent& a) { return to_numpy(a.spec().actions.limit, {a.spec().action_size()}); }, kOwned)
      .def_prop_ro(
          "action_middle",
          [](const LockedAgent& a) {
            std::vector<float> middle;
            for (size_t k = 0; k < a.spec().action_size(); ++k) middle.push_back(a.spec().actions.middle_of(k));
            return to_numpy(middle, {middle.size()});
          },
          kOwned)
      .def_prop_ro("observation_shape",
                   [](const LockedAgent& a) { return nb::tuple(nb::cast(a.spec().observation_shape)); })
      .def_prop_ro("image", [](const LockedAgent& a) { return a.spec().image; })
      .def_prop_ro("action_size", [](const LockedAgent& a) { return a.spec().action_size(); })
      .def_prop_ro("eigenvectors", [](const LockedAgent& a) { return a.run().model->eigenvectors(); })
      .def_prop_ro(
          "eigenvalues",
          [](const LockedAgent& a) {
            const auto& values = a.run().model->eigenvalues;
            return to_numpy(values, {values.size()});
          },
          kOwned)
      .def_prop_ro(
          "centers",
          [](const LockedAgent& a) {
            const ClusterGraph& graph = *a.run().graph;
            return to_numpy(graph.centers, {graph.clusters(), graph.dim});
          },
          kOwned)
      .def("clone", &LockedAgent::clone, nb::arg("seed"))
      .def("reset", &reset<Floats>, nb::arg("goals"), nb::arg("seed") = nb::none())
      .def("reset", &reset<Bytes>, nb::arg("goals"), nb::arg("seed") = nb::none())
      .def("plan", &plan<Floats>, nb::arg("observations"), nb::arg("goals") = nb::none(), nb::arg("seed") = nb::none(),
           nb::arg("threads") = 0)
      .def("plan", &plan<Bytes>, nb::arg("observations"), nb::arg("goals") = nb::none(), nb::arg("seed") = nb::none(),
           nb::arg("threads") = 0)
      .def("embed", &embed_rows<float>, nb::arg("observations"), nb::arg("threads") = 0)
      .def("embed", &embed_rows<uint8_t>, nb::arg("observations"), nb::arg("threads") = 0);
  m.def(
      "load",
      [](const std::string& run, const std::string& variant, const std::string& planner, std::vector<std::string> set,
         int clusters, uint64_t seed, int threads) {
        return load(run, {variant, planner, std::move(set)}, clusters, seed, threads);
      },
      nb::arg("run"), nb::arg("variant"), nb::arg("planner"), nb::arg("set"), nb::arg("clusters"), nb::arg("seed"),
      nb::arg("threads"));
  m.def("planner_help", [] { return settings_help(planner_profile()); });
}

}  // namespace alps::python

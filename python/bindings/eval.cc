// What evaluation knows, for loops over environments in Python: intervals, and the words for failures.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "alps/eval/episode_runner.h"
#include "alps/eval/outcomes.h"
#include "alps/eval/statistics.h"
#include "bindings/module.h"

namespace alps::python {
namespace {

template <class Array>
void start(StillCount& self, const Array& first, const Array& goal) {
  if (first.size() != goal.size())
    throw UsageError("an observation of ", first.size(), " numbers, but a goal of ", goal.size());
  self.start(span_of(first), span_of(goal));
}

template <class Array>
int add(StillCount& self, const Array& next) {
  return self.add(span_of(next));
}

}  // namespace

void add_eval(nb::module_& m) {
  m.def(
      "wilson",
      [](size_t successes, size_t trials) {
        if (successes > trials) throw UsageError(successes, " successes of ", trials, " trials");
        const Interval interval = wilson(successes, trials);
        return std::pair(interval.low, interval.high);
      },
      nb::arg("successes"), nb::arg("trials"), "Wilson's score interval of a proportion, 95 %");
  nb::class_<StillCount>(m, "StillCount", "Counts observations in a row that lie near each other.")
      .def(nb::init<>())
      .def("start", &start<Floats>, nb::arg("first"), nb::arg("goal"))
      .def("start", &start<Bytes>, nb::arg("first"), nb::arg("goal"))
      .def("add", &add<Floats>, nb::arg("next"))
      .def("add", &add<Bytes>, nb::arg("next"));
  m.def(
      "judge",
      [](int steps, int no_routes, std::vector<int> clusters, int goal_cluster, std::vector<bool> replanned,
         int still) {
        if (clusters.size() != replanned.size()) throw UsageError("clusters and replanned have one entry per decision");
        EpisodeRecord record;
        record.steps = steps;
        record.no_routes = no_routes;
        record.clusters = std::move(clusters);
        record.goal_cluster = goal_cluster;
        record.replanned = std::move(replanned);
        record.still = still;
        return std::string(outcome_name(judge(record, false)));
      },
      nb::arg("steps"), nb::arg("no_routes"), nb::arg("clusters"), nb::arg("goal_cluster"), nb::arg("replanned"),
      nb::arg("still"), "why an episode failed, in the words of `alps eval`");
}

}  // namespace alps::python

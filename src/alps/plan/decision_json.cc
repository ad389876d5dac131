#include "alps/plan/decision_json.h"

#include <algorithm>
#include <cmath>

namespace alps {
namespace {

using json = nlohmann::ordered_json;

class Writer {
 public:
  explicit Writer(const DecisionJsonOptions& options) : options_(options), unit_(std::pow(10.0, options.decimals)) {}

  json number(double value) const {
    if (!std::isfinite(value)) return nullptr;
    return options_.decimals < 0 ? value : std::round(value * unit_) / unit_;
  }

  template <class Range>
  json list(const Range& values) const {
    json all = json::array();
    for (const auto value : values) all.push_back(number(value));
    return all;
  }

  json states(std::span<const float> values) const {
    return options_.place ? list(options_.place(values)) : list(values);
  }

  json steps(const std::vector<Decision::Step>& steps) const {
    json all = json::array();
    for (const auto& [factor, columns, to] : steps)
      all.push_back({{"factor", factor}, {"columns", columns}, {"to", list(to)}});
    return all;
  }

  // one entry for each candidate of each iteration
  json imagined(const std::vector<Decision::Imagined>& iterations) const {
    json all = json::array();
    for (size_t k = 0; k < iterations.size(); ++k) {
      const auto& [elites, states_of_all, costs] = iterations[k];
      const size_t size = states_of_all.size() / std::max<size_t>(1, costs.size());
      for (size_t i = 0; i < costs.size(); ++i)
        all.push_back({{"iteration", k},
                       {"elite", i < elites},
                       {"cost", number(costs[i])},
                       {"path", states(std::span(states_of_all).subspan(i * size, size))}});
    }
    return all;
  }

 private:
  const DecisionJsonOptions& options_;
  const double unit_;
};

}  // namespace

json decision_json(const Decision& d, const DecisionJsonOptions& options) {
  const Writer w(options);
  return {{"action", w.list(d.action)},
          {"off_data", d.off_data < 0 ? json() : w.number(d.off_data)},
          {"goal_off_data", d.goal_off_data < 0 ? json() : w.number(d.goal_off_data)},
          {"cluster", d.cluster},
          {"target", d.target},
          {"goal_cluster", d.goal_cluster},
          {"route", d.route},
          {"replanned", d.replanned},
          {"advanced", d.advanced},
          {"detour", d.detour},
          {"closed", d.detour ? json{d.closed_from, d.closed_to} : json()},
          {"no_route", d.no_route},
          {"top_p", w.number(d.top_p)},
          {"psi", w.list(d.psi)},
          {"subgoal", w.list(d.subgoal)},
          {"subgoal_distance", w.number(d.subgoal_distance)},
          {"goal_distance", w.number(d.goal_distance)},
          {"steps", w.steps(d.steps)},
          {"plan", w.list(d.plan)},
          {"kept_plan", d.kept_plan},
          {"best_costs", w.list(d.best_costs)},
          {"elite_costs", w.list(d.elite_costs)},
          {"imagined", w.imagined(d.imagined)},
          {"imagined_plan", w.states(d.imagined_plan)},
          {"ms",
           {{"total", w.number(d.total_ms)},
            {"embed", w.number(d.embed_ms)},
            {"propose", w.number(d.propose_ms)},
            {"search", w.number(d.search_ms)}}}};
}

}  // namespace alps

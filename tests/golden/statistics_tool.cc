// statistics_tool < JSON: {"x": [[...], ...], "y": ..., "pairs": [[x, y], ...], "p": [...], "taus": [...], "resamples",
// "seed"}, each part optional. Prints what eval/wilcoxon.h and eval/bootstrap.h make of it, for test_statistics.py.
#include <iostream>
#include <nlohmann/json.hpp>

#include "alps/eval/bootstrap.h"
#include "alps/eval/wilcoxon.h"

using namespace alps;
using json = nlohmann::json;

namespace {

json told(const Estimate& e) { return {e.value, e.interval.low, e.interval.high}; }

}  // namespace

int main() {
  const json in = json::parse(std::cin);
  json out = json::object();
  const Rng rng(in.value("seed", 0));
  const BootstrapParams params{.resamples = in.value("resamples", 2000)};
  for (const json& pair : in.value("pairs", json::array())) {
    const auto x = pair[0].get<std::vector<double>>(), y = pair[1].get<std::vector<double>>();
    const SignedRanks r = wilcoxon(x, y);
    out["wilcoxon"].push_back({{"statistic", std::min(r.plus, r.minus)}, {"p", r.p}});
  }
  if (in.contains("p")) out["holm"] = holm_bonferroni(in["p"].get<std::vector<double>>());
  if (in.contains("x")) {
    const Scores x = in["x"];
    out["mean"] = told(bootstrap(x, mean_score, rng, params));
    out["iqm"] = told(bootstrap(x, interquartile_mean, rng, params));
    if (in.contains("y")) out["improvement"] = told(bootstrap_improvement(x, in["y"].get<Scores>(), rng, params));
    const auto taus = in.value("taus", std::vector<double>());
    for (const Estimate& e : performance_profile(x, taus, rng, params)) out["profile"].push_back(told(e));
  }
  std::cout << out << "\n";
}

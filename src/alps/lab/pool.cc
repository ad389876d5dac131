#include "alps/lab/pool.h"

#include <cstdio>

#include "alps/base/error.h"
#include "alps/eval/statistics.h"

namespace alps {

std::string fixed_text(double value, int decimals) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

void Pool::add(const LedgerRow& row) {
  successes += row.successes;
  episodes += row.episodes;
  seeds.insert(row.seed);
  if (std::isfinite(row.mean_steps)) step_sum += row.mean_steps * row.successes;
  if (!std::isfinite(row.decision_ms)) return;
  ms_sum += row.decision_ms * row.episodes;
  ms_episodes += row.episodes;
}

std::string rate_text(int successes, int episodes) {
  const Interval i = wilson(static_cast<size_t>(successes), static_cast<size_t>(episodes));
  return fixed_text(100.0 * successes / episodes, 0) + " (" + fixed_text(100 * i.low, 0) + "-" +
         fixed_text(100 * i.high, 0) + ")";
}

std::string Pool::text(const std::vector<std::string>& values) const {
  std::string all;
  const bool unit = values.size() > 1;
  for (const std::string& value : values) {
    std::string one;
    if (value == "success")
      one = rate_text(successes, episodes);
    else if (value == "steps" && successes > 0)
      one = fixed_text(mean_steps(), 0) + (unit ? " steps" : "");
    else if (value == "ms" && ms_episodes > 0)
      one = fixed_text(decision_ms(), decision_ms() < 20 ? 1 : 0) + (unit ? " ms" : "");
    if (!one.empty()) all += (all.empty() ? "" : ", ") + one;
  }
  return all.empty() ? "-" : all;
}

std::string Pool::count_text() const {
  return str(episodes, " (", seeds.size(), seeds.size() == 1 ? " seed)" : " seeds)");
}

}  // namespace alps

#include "alps/data/finding.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "alps/base/progress.h"

namespace alps {

const char* mark_name(Mark mark) {
  switch (mark) {
    case Mark::kGood: return "good";
    case Mark::kLook: return "look";
    case Mark::kBad: return "bad";
  }
  return "";
}

Mark worst(std::span<const Finding> findings) {
  Mark mark = Mark::kGood;
  for (const Finding& f : findings) mark = std::max(mark, f.mark);
  return mark;
}

std::string findings_json(std::span<const Finding> findings) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Finding& f : findings)
    all.push_back({{"mark", mark_name(f.mark)},
                   {"what", f.what},
                   {"value", f.value},
                   {"meaning", f.meaning},
                   {"advice", f.advice}});
  return all.dump(1);
}

std::string figure_text(double value) {
  if (std::abs(value) >= 1000 && std::abs(value) < 1e15)
    return (value < 0 ? "-" : "") + with_commas(static_cast<size_t>(std::llround(std::abs(value))));
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string share_text(double share) {
  char text[32];
  const double percent = 100 * share;
  if (percent > 0 && percent < 0.01) return "under 0.01 %";
  std::snprintf(text, sizeof text,
                percent >= 10 || percent == 0 ? "%.0f %%"
                : percent >= 1                ? "%.1f %%"
                                              : "%.2f %%",
                percent);
  return text;
}

}  // namespace alps

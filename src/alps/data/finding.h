// What a check found, as one line of plain advice: what was looked at, the measured value, what it means and what to do
// about it. Checks of data sets (data/check.h) and of runs (run/check.h) return lists of these; the program, the report
// and Python show them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace alps {

enum class Mark { kGood, kLook, kBad };  // fine; worth a look; will hurt
const char* mark_name(Mark mark);        // "good", "look", "bad"

struct Finding {
  Mark mark = Mark::kGood;
  std::string what, value, meaning;
  std::string advice = {};  // empty where there is nothing to do
};

Mark worst(std::span<const Finding> findings);  // kGood for none

// [{"mark", "what", "value", "meaning", "advice"}, ...]
std::string findings_json(std::span<const Finding> findings);

// numbers as people read them: three significant digits ("0.0123", "12.3", "1,230"), and shares ("12 %", "0.3 %")
std::string figure_text(double value);
std::string share_text(double share);

}  // namespace alps

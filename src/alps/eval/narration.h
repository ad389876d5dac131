// What happens in an episode, in words: one sentence for every turn of it (a route found, a drift, a closed passage, a
// teleport, the end and its cause), made from the decisions' traces and the record. Pages and logs show them.
#pragma once

#include <string>
#include <vector>

#include "alps/eval/evaluate.h"
#include "alps/plan/planner.h"

namespace alps {

struct Event {
  int step = 0;      // decisions before it
  std::string kind;  // route, advanced, last, drift, detour, no_route, teleport, success, failure
  std::string text;
};

class Narrator {
 public:
  // `leap`: steps beyond it are teleports (data/jumps.h)
  explicit Narrator(Point2 leap = kNoLeaps) : leap_(leap) {}

  // after each step of an episode, from the first on
  std::vector<Event> after(const EpisodeRecord& record, const Decision& decision, bool done);

 private:
  Point2 leap_;
  bool no_route_ = false, last_ = false;
};

// what an outcome means and what one may do about it
std::string outcome_text(const EpisodeRecord& record);

}  // namespace alps

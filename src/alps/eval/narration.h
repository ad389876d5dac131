// What happens in an episode, in words: one sentence for every turn of it (a route found, a drift, a closed passage, a
// teleport, the end and its cause), made from the decisions' traces and the record. The page, logs and films show them.
#pragma once

#include <string>
#include <vector>

#include "alps/eval/outcomes.h"
#include "alps/plan/decision.h"

namespace alps {

struct Event {
  int step = 0;      // decisions before it
  std::string kind;  // route, advanced, last, drift, detour, no_route, teleport, success, failure
  std::string text;
  std::string brief;  // a few words for a picture's caption, of drift, detour and no_route; otherwise empty
};

class Narrator {
 public:
  // `leap`: steps beyond it are teleports (data/jumps.h)
  explicit Narrator(Point2 leap = kNoLeaps) : leap_(leap) {}

  // What a decision says; `step`: decisions of the episode before it. To be called for each decision from the first on.
  std::vector<Event> decided(int step, const Decision& decision);
  // the same for the last decision of the record, and what its step did
  std::vector<Event> after(const EpisodeRecord& record, const Decision& decision, bool done);

 private:
  Point2 leap_;
  bool no_route_ = false, last_ = false;
};

// what an outcome means and what one may do about it
std::string outcome_text(const EpisodeRecord& record);

}  // namespace alps

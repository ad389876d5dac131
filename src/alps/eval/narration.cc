#include "alps/eval/narration.h"

#include <cmath>
#include <cstdio>

#include "alps/base/error.h"

namespace alps {
namespace {

std::string regions(size_t count) { return str(count, count == 1 ? " region" : " regions"); }

std::string place(Point2 p) {
  char text[64];
  std::snprintf(text, sizeof text, "(%.1f, %.1f)", p.x, p.y);
  return text;
}

// "factor 1 to 0.5, -1.2; factor 3 to 0"
std::string moves(const std::vector<Decision::Step>& steps) {
  std::string text;
  for (const Decision::Step& s : steps) {
    text += str(text.empty() ? "" : "; ", "factor ", s.factor + 1, " to ");
    for (size_t i = 0; i < s.to.size(); ++i) {
      char value[24];
      std::snprintf(value, sizeof value, "%s%.3g", i ? ", " : "", std::abs(s.to[i]) < 5e-4f ? 0.0 : double(s.to[i]));
      text += value;
    }
  }
  return text;
}

}  // namespace

std::vector<Event> Narrator::decided(int step, const Decision& d) {
  std::vector<Event> events;
  const auto tell = [&](const char* kind, std::string text, std::string brief = {}) {
    events.push_back({step, kind, std::move(text), std::move(brief)});
  };
  if (!d.steps.empty()) {  // moves of things, one at a time
    if (step == 0 || d.replanned) tell("moves", str("moves ahead: ", moves(d.steps)));
    return events;
  }
  const size_t ahead = d.route.empty() ? 0 : d.route.size() - 1;
  if (step == 0) {
    no_route_ = last_ = false;
    if (d.goal_cluster < 0)
      tell("route", "decides without regions: heads straight for the goal");
    else if (!d.no_route)
      tell("route", str("in cluster ", d.cluster, ", the goal is in cluster ", d.goal_cluster, ": a route over ",
                        regions(d.route.size())));
  }
  if (d.no_route && !no_route_)
    tell("no_route",
         str("no passage seen in the data leads from cluster ", d.cluster, " to the goal's cluster ", d.goal_cluster,
             ": heads straight for the goal"),
         "no route, straight for the goal");
  no_route_ = d.no_route;
  if (d.detour)
    tell("detour",
         str("no progress for a while: passage ", d.closed_from, " - ", d.closed_to, " closed, ",
             d.no_route ? "no other way" : str("going round it, ", regions(ahead), " ahead")),
         str("no way on in cluster ", d.cluster, ", another route"));
  else if (d.replanned && !d.no_route)
    tell("drift", str("drifted to cluster ", d.cluster, ", off the route: replanned, ", regions(ahead), " ahead"),
         str("drifted to cluster ", d.cluster, ", new route"));
  else if (d.advanced)
    tell("advanced", str("reached cluster ", d.cluster, ", next is ", d.target, ", ", regions(ahead), " ahead"));
  const bool last = d.target >= 0 && d.target == d.goal_cluster;
  if (last && !last_) tell("last", "the next region is the goal's: the subgoal is the goal itself");
  last_ = last;
  return events;
}

std::vector<Event> Narrator::after(const EpisodeRecord& record, const Decision& decision, bool done) {
  const int step = record.steps - 1;
  std::vector<Event> events = decided(step, decision);
  if (record.path.size() >= 2) {
    const Point2 before = record.path[record.path.size() - 2], now = record.path.back();
    if (is_leap(before, now, leap_))
      events.push_back(
          {step, "teleport", str("a teleport moved the agent from ", place(before), " to ", place(now)), {}});
  }
  if (done) events.push_back({record.steps, record.success ? "success" : "failure", outcome_text(record), {}});
  return events;
}

std::string outcome_text(const EpisodeRecord& record) {
  const std::string steps = str(record.steps, record.steps == 1 ? " step" : " steps");
  switch (record.outcome) {
    case Outcome::kSuccess: return str("goal reached in ", steps);
    case Outcome::kNoRoute:
      return str("failed after ", steps,
                 ": for most of the time the graph knew no way to the goal. The data never "
                 "connect the two places");
    case Outcome::kTeleportTrap:
      return str("failed after ", steps,
                 ": trapped by a teleport. It led to a place from where no path leads to the "
                 "goal");
    case Outcome::kNearGoal:
      return str("failed after ", steps,
                 ": stuck near the goal, in its own cluster. A wider search or a longer horizon "
                 "may help");
    case Outcome::kStuck:
      if (record.clusters.empty() || record.clusters.back() < 0)
        return str("failed after ", steps, ": stood still for the last ", record.still,
                   " decisions. The body has fallen, or stands before a wall");
      return str("failed after ", steps, ": stuck in cluster ", record.clusters.back(),
                 ". The model expects motion where there is none, or the body has fallen");
    case Outcome::kDrift:
      return str("failed after ", steps, ": drifted off the route again and again (", record.replans, " replans)");
    case Outcome::kOutOfTime: return str("failed: out of time after ", steps, ", still moving on");
  }
  return {};
}

}  // namespace alps

// The planner behind the functions of c_interface.h: one handle, and no exception across the border.
#include "alps/plan/c_interface.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "alps/base/version.h"
#include "alps/plan/planning_policy.h"

struct alps_planner {
  std::unique_ptr<alps::Policy> policy;
  alps::Decision decision;  // the last one
  bool acted = false;
  std::string message;
};

namespace {

using alps::Observation;

// what went wrong, and its number
template <class Body>
int guarded(std::string& message, Body&& body) noexcept {
  try {
    body();
    return ALPS_OK;
  } catch (const alps::UsageError& error) {
    message = error.what();
    return ALPS_WRONG_USE;
  } catch (const std::exception& error) {
    message = error.what();
  } catch (...) {
    message = "an unknown error";
  }
  return ALPS_FAILED;
}

template <class T>
int reset(alps_planner* p, const T* goal, size_t size, uint64_t seed) {
  if (p == nullptr) return ALPS_WRONG_USE;
  return guarded(p->message, [&] {
    if (goal == nullptr) throw alps::UsageError("the goal is NULL");
    p->policy->reset(Observation(std::span(goal, size)), alps::Rng(seed));
    p->acted = false;
  });
}

template <class T>
int act(alps_planner* p, const T* observation, size_t size, float* action, size_t action_size) {
  if (p == nullptr) return ALPS_WRONG_USE;
  return guarded(p->message, [&] {
    if (observation == nullptr || action == nullptr)
      throw alps::UsageError(observation == nullptr ? "the observation" : "the action", " is NULL");
    if (action_size != p->policy->spec().action_size())
      throw alps::UsageError("there is room for an action of ", action_size, " numbers; this run's have ",
                             p->policy->spec().action_size());
    p->policy->act_into(Observation(std::span(observation, size)), p->decision);
    p->acted = true;
    std::ranges::copy(p->decision.action, action);
  });
}

}  // namespace

extern "C" {

int alps_plan_abi(void) { return ALPS_PLAN_ABI; }
const char* alps_plan_version(void) { return ALPS_VERSION_STRING; }

alps_planner* alps_planner_load(const char* run, const char* variant, const char* const* settings, size_t count,
                                char* message, size_t message_size) {
  alps_planner* loaded = nullptr;
  std::string wrong;
  const int result = guarded(wrong, [&] {
    if (run == nullptr || (settings == nullptr && count > 0))
      throw alps::UsageError(run == nullptr ? "the run folder" : "the list of settings", " is NULL");
    alps::LoadPlannerOptions options;
    if (variant != nullptr) options.variant = variant;
    for (size_t i = 0; i < count; ++i) options.set.emplace_back(settings[i] == nullptr ? "" : settings[i]);
    loaded = new alps_planner{alps::load_policy(run, options), {}, false, {}};
  });
  if (result == ALPS_OK) return loaded;
  if (message != nullptr && message_size > 0) {
    const size_t length = std::min(wrong.size(), message_size - 1);
    std::memcpy(message, wrong.data(), length);
    message[length] = '\0';
  }
  return nullptr;
}

alps_planner* alps_planner_clone(const alps_planner* planner) {
  alps_planner* clone = nullptr;
  std::string wrong;
  if (planner != nullptr)
    guarded(wrong, [&] {
      clone = new alps_planner{planner->policy->clone(), planner->decision, planner->acted, planner->message};
    });
  return clone;
}

void alps_planner_free(alps_planner* planner) { delete planner; }

size_t alps_planner_observation_size(const alps_planner* p) {
  return p == nullptr ? 0 : p->policy->spec().observation_size();
}
size_t alps_planner_action_size(const alps_planner* p) { return p == nullptr ? 0 : p->policy->spec().action_size(); }
int alps_planner_takes_images(const alps_planner* p) { return p != nullptr && p->policy->spec().image; }

void alps_planner_action_range(const alps_planner* p, float* low, float* high) {
  if (p == nullptr) return;
  const alps::ActionRange& range = p->policy->spec().actions;
  for (size_t a = 0; a < range.size(); ++a) {
    if (low != nullptr) low[a] = range.low(a);
    if (high != nullptr) high[a] = range.high(a);
  }
}

int alps_planner_reset(alps_planner* p, const float* goal, size_t size, uint64_t seed) {
  return reset(p, goal, size, seed);
}
int alps_planner_reset_image(alps_planner* p, const uint8_t* goal, size_t size, uint64_t seed) {
  return reset(p, goal, size, seed);
}
int alps_planner_act(alps_planner* p, const float* observation, size_t size, float* action, size_t action_size) {
  return act(p, observation, size, action, action_size);
}
int alps_planner_act_image(alps_planner* p, const uint8_t* observation, size_t size, float* action,
                           size_t action_size) {
  return act(p, observation, size, action, action_size);
}

const char* alps_planner_message(const alps_planner* p) {
  return p == nullptr ? "the planner is NULL" : p->message.c_str();
}

int alps_planner_trace(const alps_planner* p, alps_trace* trace) {
  if (p == nullptr || trace == nullptr || !p->acted || trace->size < sizeof(size_t)) return ALPS_WRONG_USE;
  const alps::Decision& d = p->decision;
  const alps_trace now{.size = std::min(trace->size, sizeof(alps_trace)),
                       .cluster = d.cluster,
                       .target = d.target,
                       .goal_cluster = d.goal_cluster,
                       .no_route = d.no_route,
                       .subgoal_distance = d.subgoal_distance,
                       .goal_distance = d.goal_distance,
                       .off_data = d.off_data,
                       .goal_off_data = d.goal_off_data,
                       .total_ms = d.total_ms};
  // a caller that knows a shorter struct gets what it knows
  std::memcpy(trace, &now, now.size);
  return ALPS_OK;
}

}  // extern "C"

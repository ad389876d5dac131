/* The planner in C (installed as alps/plan.h), for programs in C and for languages that call C: Rust, Go, Python's
 * ctypes. The library is libalps_plan.so.1; link with -lalps_plan. See examples/plan.c, examples/plan.rs and
 * docs/library.md.
 *
 * The interface only grows: functions and the meaning of their arguments stay as long as ALPS_PLAN_ABI stays 1, and
 * structs that may grow begin with their size. No C++ exception leaves the library, nothing is printed, no signal is
 * handled. A planner belongs to one thread at a time; give other threads theirs by alps_planner_clone. After an error
 * the planner is as before, and its arguments are untouched. */
#ifndef ALPS_PLAN_H
#define ALPS_PLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ALPS_PLAN_ABI 1

/* what functions return; the same numbers as the program's exit codes */
enum { ALPS_OK = 0, ALPS_FAILED = 1, ALPS_WRONG_USE = 2 };

typedef struct alps_planner alps_planner;

/* what the library was built as: ALPS_PLAN_ABI, and "0.1.0" */
int alps_plan_abi(void);
const char* alps_plan_version(void);

/* The planner of a run folder. `variant` may be NULL ("alps"); `settings` are `count` strings KEY=VALUE, for example
 * "budget_ms=20", or NULL. NULL is returned after an error, and `message` (may be NULL) then says what is wrong. */
alps_planner* alps_planner_load(const char* run, const char* variant, const char* const* settings, size_t count,
                                char* message, size_t message_size);
/* for another thread: shares the networks, and goes on with the same episode; NULL where memory is short */
alps_planner* alps_planner_clone(const alps_planner* planner);
void alps_planner_free(alps_planner* planner); /* NULL is fine */

size_t alps_planner_observation_size(const alps_planner* planner);
size_t alps_planner_action_size(const alps_planner* planner);
int alps_planner_takes_images(const alps_planner* planner); /* observations are bytes, 0 to 255 */
/* the range of each number of an action */
void alps_planner_action_range(const alps_planner* planner, float* low, float* high);

/* A new episode towards a goal, which is an observation. Equal seeds and observations give equal actions. */
int alps_planner_reset(alps_planner* planner, const float* goal, size_t size, uint64_t seed);
int alps_planner_reset_image(alps_planner* planner, const uint8_t* goal, size_t size, uint64_t seed);

/* One decision: an observation in, an action out, in the units of the data. */
int alps_planner_act(alps_planner* planner, const float* observation, size_t size, float* action, size_t action_size);
int alps_planner_act_image(alps_planner* planner, const uint8_t* observation, size_t size, float* action,
                           size_t action_size);

/* what went wrong in the last call that did not return ALPS_OK; valid until the next call */
const char* alps_planner_message(const alps_planner* planner);

/* How the last action was found. Regions are -1 where there are none; distances are in psi. */
typedef struct {
  size_t size; /* set it to sizeof(alps_trace) before the call */
  int cluster, target, goal_cluster;
  int no_route; /* the regions have no way to the goal: the goal itself is aimed at */
  double subgoal_distance, goal_distance;
  double off_data, goal_off_data; /* up to 1 within the data, more outside; -1: not known */
  double total_ms;
} alps_trace;
int alps_planner_trace(const alps_planner* planner, alps_trace* trace);

#ifdef __cplusplus
}
#endif
#endif

/* Acts with a trained run from C. The same as plan.cc:
 *   plan_c RUN GOAL_1 ... GOAL_N < observations      one observation a line in, one action a line out */
#include <alps/plan.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char* why) {
  fprintf(stderr, "plan: %s\n", why);
  return 1;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: plan_c RUN GOAL_1 ... GOAL_N < observations   (alps %s)\n", alps_plan_version());
    return 2;
  }
  char message[512];
  alps_planner* planner = alps_planner_load(argv[1], NULL, NULL, 0, message, sizeof message);
  if (planner == NULL) return fail(message);
  const size_t size = alps_planner_observation_size(planner), actions = alps_planner_action_size(planner);
  float* observation = malloc((size > (size_t)argc ? size : (size_t)argc) * sizeof *observation);
  float* action = malloc(actions * sizeof *action);
  if (observation == NULL || action == NULL) return fail("out of memory");

  for (int i = 2; i < argc; ++i) observation[i - 2] = strtof(argv[i], NULL);
  int result = alps_planner_reset(planner, observation, (size_t)(argc - 2), 0);
  while (result == ALPS_OK) {
    size_t read = 0;
    while (read < size && scanf("%f", &observation[read]) == 1) ++read;
    if (read == 0) break; /* the end */
    result = alps_planner_act(planner, observation, read, action, actions);
    if (result != ALPS_OK) break;
    for (size_t a = 0; a < actions; ++a) printf("%g ", action[a]);
    printf("\n");
    fflush(stdout);
  }
  if (result != ALPS_OK) fail(alps_planner_message(planner));
  alps_planner_free(planner);
  free(observation);
  free(action);
  return result;
}

// Acts with a trained run in a C++ process of your own: no Python, no torch, no environment.
//   plan RUN [KEY=VALUE ...] goal... < observations      one observation a line in, one action a line out
// Settings are those of the run; `plan RUN budget_ms=20 ...` decides within 20 ms.
#include <alps/base/version.h>
#include <alps/plan/planner.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: plan RUN [KEY=VALUE ...] GOAL_1 ... GOAL_N < observations   (alps " ALPS_VERSION_STRING ")\n";
    return 2;
  }
  std::vector<std::string> settings;
  std::vector<float> goal;
  for (const std::string& word : std::vector<std::string>(argv + 2, argv + argc)) {
    if (word.find('=') != std::string::npos)
      settings.push_back(word);
    else
      goal.push_back(std::strtof(word.c_str(), nullptr));
  }
  alps::Planner planner = alps::load_planner(argv[1], {.variant = "alps", .set = settings});
  std::fprintf(stderr, "observations of %zu numbers, actions of %zu\n", planner.observation_size(),
               planner.action_size());
  planner.reset(goal, alps::Rng(0));

  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream numbers(line);
    std::vector<float> observation;
    for (float x = 0; numbers >> x;) observation.push_back(x);
    const alps::Decision decision = planner.act(observation);
    for (const float a : decision.action) std::printf("%g ", a);
    std::printf("\n");
    std::fflush(stdout);
    std::fprintf(stderr, "region %d -> %d, %zu to go, %.1f ms\n", decision.cluster, decision.target,
                 decision.route.size(), decision.total_ms);
  }
} catch (const std::exception& e) {
  std::cerr << "plan: " << e.what() << "\n";
  return 1;
}

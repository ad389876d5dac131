// Acts with a trained run in a C++ process of your own: no Python, no torch, no environment.
//   plan RUN goal... < observations      one observation a line in, one action a line out
#include <alps/plan/planner.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: plan RUN GOAL_1 ... GOAL_N < observations\n";
    return 2;
  }
  alps::Planner planner = alps::load_planner(argv[1]);
  std::vector<float> goal;
  for (int i = 2; i < argc; ++i) goal.push_back(std::strtof(argv[i], nullptr));
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

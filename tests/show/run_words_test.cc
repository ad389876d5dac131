// What a run's things are called is read from the run, not from the name of its method.
#include "alps/show/run_words.h"

#include <gtest/gtest.h>

namespace alps {
namespace {

Run run_of(const char* meaning, bool plans) {
  auto bundle = std::make_shared<Bundle>();
  bundle->leave("actor", Mlp({Linear(2, 1, {1, 0}, {0})}), "state, state of the goal -> action");
  if (meaning != nullptr) bundle->leave("representation", Mlp({Linear(1, 1, {1}, {0})}), meaning);
  Run run{.folder = "run", .config = {}, .bundle = bundle, .model = nullptr, .graph = nullptr};
  run.config.method = "cloning";
  if (plans) run.graph = std::make_shared<ClusterGraph>();
  return run;
}

TEST(RunWords, TheSpaceIsWhatTheRepresentationGives) {
  EXPECT_EQ(space_name(run_of("state -> psi", true)), "psi");
  EXPECT_EQ(space_name(run_of("state -> Gamma", true)), "Gamma");
  EXPECT_EQ(space_name(run_of("state -> skill -> latent of the skill", true)), "latent of the skill");
  EXPECT_EQ(space_name(run_of("a space", true)), "a space");
  EXPECT_EQ(space_name(run_of(nullptr, false)), "");
}

TEST(RunWords, WhoDoesNotPlanIsCalledByItsMethod) {
  EXPECT_EQ(shown_policy(run_of("state -> psi", true), "cem+prior"), "cem+prior");
  EXPECT_EQ(shown_policy(run_of(nullptr, false), "alps"), "cloning");
}

}  // namespace
}  // namespace alps

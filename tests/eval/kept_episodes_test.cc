// Finished episodes on disk: every field comes back, damage costs only what it touched, and an evaluation that was
// stopped gives the result of one that was not.
#include "alps/eval/kept_episodes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <set>
#include <tuple>

#include "../base/temp_folder.h"
#include "alps/base/file.h"
#include "alps/eval/evaluate.h"
#include "alps/world/catalog.h"
#include "walker.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

EpisodeRecord sample(int task, int index) {
  EpisodeRecord e{.task = task, .index = index, .outcome = Outcome::kDrift, .steps = 2, .replans = 3, .no_routes = 4};
  e.goal_distance = 0.1 + index;
  e.start = {1.0 / 3, 2};
  e.goal = {-1e-300, INFINITY};
  e.path = {{0.1, 0.2}, {0.3, 0.4}, {0.5, 1.0 / 7}};
  e.decision_ms = {0.1f, NAN};
  e.goal_distances = {3.5f, 1e-30f};
  e.clusters = {-1, 7};
  e.replanned = {true, false};
  e.first_route = {5, 6, 7};
  e.goal_cluster = 9;
  e.still = 11;
  return e;
}

auto fields(const EpisodeRecord& e) {
  return std::tuple(e.task, e.index, e.outcome, e.success, e.steps, e.replans, e.no_routes, e.goal_distance, e.start.x,
                    e.start.y, e.goal.x, e.goal.y, e.path, e.goal_distances, e.clusters, e.replanned, e.first_route,
                    e.goal_cluster, e.still);
}

class KeptEpisodesTest : public testing::Test {
 protected:
  const TempFolder temp_;
  const fs::path folder_ = temp_ / "kept";
  std::vector<fs::path> files() const {
    std::vector<fs::path> list;
    if (fs::exists(folder_))
      for (const auto& entry : fs::directory_iterator(folder_)) list.push_back(entry.path());
    return list;
  }
};

TEST_F(KeptEpisodesTest, EveryFieldComesBack) {
  {
    KeptEpisodes kept(folder_, "key");
    EXPECT_EQ(kept.count(), 0u);
    EXPECT_FALSE(fs::exists(folder_));  // nothing yet
    kept.add(sample(1, 0));
    kept.add(sample(2, 5));
  }
  KeptEpisodes kept(folder_, "key");
  ASSERT_EQ(kept.count(), 2u);
  EXPECT_GT(kept.seconds(), 0);
  EXPECT_EQ(kept.find(1, 5), nullptr);
  for (const auto& [task, index] : {std::pair{1, 0}, {2, 5}}) {
    const EpisodeRecord* found = kept.find(task, index);
    ASSERT_NE(found, nullptr);
    EXPECT_TRUE(fields(*found) == fields(sample(task, index)));
    EXPECT_EQ(found->decision_ms[0], 0.1f);
    EXPECT_TRUE(std::isnan(found->decision_ms[1]));
  }
  kept.remove();
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(KeptEpisodesTest, ProcessesAtOnceHaveFilesOfTheirOwn) {
  KeptEpisodes one(folder_, "key"), two(folder_, "key");
  one.add(sample(1, 0));
  two.add(sample(1, 1));
  two.add(sample(1, 0));  // both made it
  EXPECT_EQ(files().size(), 2u);
  EXPECT_EQ(KeptEpisodes(folder_, "key").count(), 2u);
  EXPECT_EQ(KeptEpisodes(folder_, "other").count(), 0u);
  two.remove();
  one.add(sample(1, 2));  // to a file that nobody will find: no harm
  EXPECT_EQ(KeptEpisodes(folder_, "key").count(), 0u);
}

TEST_F(KeptEpisodesTest, DamageCostsOnlyWhatItTouched) {
  {
    KeptEpisodes kept(folder_, "key");
    for (int i = 0; i < 4; ++i) kept.add(sample(1, i));
  }
  const fs::path file = files().at(0);
  const std::string whole = read_text(file);
  std::set<size_t> counts;
  // cut off anywhere: as many as are whole
  for (size_t size = 0; size <= whole.size(); size += 7) {
    write_text(file, whole.substr(0, size));
    counts.insert(KeptEpisodes(folder_, "key").count());
  }
  EXPECT_EQ(counts, (std::set<size_t>{0, 1, 2, 3}));
  // any byte that is wrong: what comes before it is whole
  for (size_t at = 0; at < whole.size(); at += 11) {
    std::string wrong = whole;
    wrong[at] ^= 0x40;
    write_text(file, wrong);
    const KeptEpisodes kept(folder_, "key");
    EXPECT_LE(kept.count(), 3u) << at;
    for (int i = 0; i < 4; ++i) {
      const EpisodeRecord* found = kept.find(1, i);
      EXPECT_TRUE(found == nullptr || fields(*found) == fields(sample(1, i))) << at;
    }
  }
}

TEST_F(KeptEpisodesTest, AStoppedEvaluationGoesOn) {
  const auto env = make_env("pointmaze-medium-v0", {.max_episode_steps = 20});
  const MakePolicy make = [] { return std::make_unique<Planner>(walker()); };
  const EvalParams plain = {.episodes = 3, .tasks = {1, 4}, .seed = 2, .threads = 2};
  const EvalResult whole = evaluate(*env, make, plain);
  for (const int stop : {1, 3}) {
    KeptEpisodes kept(folder_, "key");
    EvalParams params = plain;
    params.threads = 1;
    params.kept = &kept;
    int run = 0;
    params.watch = [&](int, int, const Env&, const Decision* decision) {
      if (decision == nullptr && ++run > stop) throw Error("stop");
    };
    EXPECT_THROW(evaluate(*env, make, params), Error);
  }
  KeptEpisodes kept(folder_, "key");
  EXPECT_EQ(kept.count(), 4u);
  EvalParams params = plain;
  params.kept = &kept;
  std::atomic<int> run = 0;
  params.watch = [&](int, int, const Env&, const Decision* decision) { run += decision == nullptr; };
  const EvalResult result = evaluate(*env, make, params);
  EXPECT_EQ(run, 2);
  EXPECT_GT(result.seconds, kept.seconds());
  ASSERT_EQ(result.episodes.size(), whole.episodes.size());
  for (size_t i = 0; i < whole.episodes.size(); ++i)
    EXPECT_TRUE(fields(result.episodes[i]) == fields(whole.episodes[i])) << i;
}

}  // namespace
}  // namespace alps

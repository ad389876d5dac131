// Experts: their training goes on exactly where it was killed, their files are checked, and walks are summed up
// rightly.
#include <gtest/gtest.h>
#include <unistd.h>

#include "alps/base/file.h"
#include "alps/collect/expert_check.h"
#include "alps/collect/expert_training.h"
#include "alps/collect/walk_figures.h"
#include "alps/world/direction_env.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

class ExpertTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ = fs::temp_directory_path() / str("alps-expert-", getpid());
};

const ExpertTrainingParams kSmall{.sac = {.hidden = 16, .batch = 16},
                                  .steps = 2600,
                                  .random_steps = 100,
                                  .checkpoint_every = 300,
                                  .curve_every = 200,
                                  .seed = 3};

TEST_F(ExpertTest, TrainingResumesWhereItWasKilled) {
  const fs::path whole = folder_ / "whole.safetensors", parts = folder_ / "parts.safetensors";
  train_expert(whole, kSmall, false, {});
  EXPECT_FALSE(fs::exists(whole.string() + ".checkpoint"));

  // killed past a checkpoint; the second part has another number of threads
  struct Killed {};
  ExpertTrainingParams first = kSmall;
  first.threads = 1;
  EXPECT_THROW(train_expert(parts, first, false,
                            [](const ExpertProgress& p) {
                              if (p.step == 2200) throw Killed();
                            }),
               Killed);
  ASSERT_TRUE(fs::exists(parts.string() + ".checkpoint"));
  EXPECT_THROW(train_expert(parts, kSmall, false, {}), Error);  // not without being asked
  ExpertTrainingParams other = kSmall;
  other.seed = 4;
  EXPECT_THROW(train_expert(parts, other, true, {}), Error);  // nor with another seed
  train_expert(parts, kSmall, true, {});
  EXPECT_EQ(read_text(whole), read_text(parts));

  // the curve has each line once
  const std::string curve = read_text(parts.string() + ".csv");
  EXPECT_EQ(std::count(curve.begin(), curve.end(), '\n'), 1 + 2600 / 200);
  EXPECT_THROW(train_expert(parts, kSmall, true, {}), Error);  // nothing left to resume
}

TEST_F(ExpertTest, FilesAreChecked) {
  EXPECT_THROW(expert_for("ant", folder_ / "none.safetensors"), Error);
  Rng rng(1);
  Tensors tensors;
  TrainedMlp({4, 8, 2}, rng).mlp().store(tensors, "policy");
  write_safetensors(folder_ / "small.safetensors", tensors);
  EXPECT_THROW(expert_for("ant", folder_ / "small.safetensors"), Error);
  EXPECT_THROW(expert_for("humanoid", folder_ / "small.safetensors"), Error);
  EXPECT_THROW(expert_for("bee"), Error);
}

TEST(Walks, AnAntLiesOnItsBackWhenItsUpAxisPointsDown) {
  EXPECT_DOUBLE_EQ(uprightness(std::array{1.0, 0.0, 0.0, 0.0}), 1);
  EXPECT_DOUBLE_EQ(uprightness(std::array{0.0, 1.0, 0.0, 0.0}), -1);
  EXPECT_NEAR(uprightness(std::array{std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0}), 0, 1e-15);
  EXPECT_DOUBLE_EQ(uprightness(std::array{std::sqrt(0.5), 0.0, 0.0, std::sqrt(0.5)}), 1);  // turned about itself
}

TEST(Walks, AreSummedUp) {
  // two episodes of three rows: one walks from cell (1, 1) to (1, 2), the other lies on its back
  Dataset data;
  data.observations = Array::of<float>({6, 7}, std::vector<float>{0, 0, 1, 1, 0, 0, 0,  //
                                                                  2, 0, 1, 1, 0, 0, 0,  //
                                                                  4, 0, 1, 1, 0, 0, 0,  //
                                                                  0, 0, 1, 1, 0, 0, 0,  //
                                                                  0, 0, 1, 0, 1, 0, 0,  //
                                                                  0, 0, 1, 0, 1, 0, 0});
  data.actions = Array(DType::kFloat32, {6, 1});
  data.episodes = {{0, 2}, {3, 5}};
  const Maze& maze = Maze::named("medium");
  const WalkFigures f = walk_figures(data, maze, true);
  EXPECT_EQ(f.cells, maze.free_cells().size());
  EXPECT_EQ(f.visited, 2u);
  EXPECT_DOUBLE_EQ(f.stride, 1.0);
  EXPECT_DOUBLE_EQ(f.on_back, 2.0 / 6);
  EXPECT_DOUBLE_EQ(f.on_back_at_end, 0.5);
  EXPECT_EQ(walk_figures(data, maze, false).on_back, 0);
}

}  // namespace
}  // namespace alps

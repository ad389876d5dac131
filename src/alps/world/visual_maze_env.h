// OGBench's mazes seen by a camera that follows the body: a MazeEnv whose observations are frames of 64 x 64 pixels
// (maze_camera.h). Everything else, stepping and goals too, is the same world's. A frame is rendered when somebody
// looks.
#pragma once

#include <vector>

#include "alps/world/image_view.h"
#include "alps/world/maze_camera.h"
#include "alps/world/maze_env.h"

namespace alps {

class VisualMazeEnv : public MazeEnv, public ImageView {
 public:
  VisualMazeEnv(std::string name, const Body& body, const Maze& maze, int max_episode_steps, EnvOptions options);

  std::unique_ptr<Env> clone() const override;
  const EnvSpec& spec() const override { return visual_spec_; }
  Observation observation() const override { return shown(MazeEnv::observation(), seen_); }
  Observation goal_observation() const override { return shown(MazeEnv::goal_observation(), goal_seen_); }
  ImageView* images() override { return this; }
  void render(std::span<const float> numbers, std::span<uint8_t> pixels) override;

 private:
  // the frame of the last numbers that were looked at
  struct Picture {
    std::vector<float> numbers;
    std::vector<uint8_t> pixels;
  };
  VisualMazeEnv(const VisualMazeEnv& other);
  Observation shown(Observation numbers, Picture& picture) const;

  EnvSpec visual_spec_;
  mutable MazeCamera camera_;
  mutable Picture seen_, goal_seen_;
};

}  // namespace alps

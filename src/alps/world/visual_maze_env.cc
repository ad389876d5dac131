#include "alps/world/visual_maze_env.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"

namespace alps {

VisualMazeEnv::VisualMazeEnv(std::string name, const Body& body, const Maze& maze, int max_episode_steps,
                             EnvOptions options)
    : MazeEnv(std::move(name), body, maze, max_episode_steps, options),
      visual_spec_(MazeEnv::spec()),
      camera_(scene(), maze) {
  visual_spec_.observation_shape = {MazeCamera::kSide, MazeCamera::kSide, 3};
  visual_spec_.image = true;
}

VisualMazeEnv::VisualMazeEnv(const VisualMazeEnv& other)
    : MazeEnv(other), visual_spec_(other.visual_spec_), camera_(other.camera_) {}

std::unique_ptr<Env> VisualMazeEnv::clone() const { return std::unique_ptr<Env>(new VisualMazeEnv(*this)); }

Observation VisualMazeEnv::shown(Observation numbers, Picture& picture) const {
  const std::span<const float> now = numbers.floats();
  if (!std::ranges::equal(now, picture.numbers)) {
    picture.numbers.assign(now.begin(), now.end());
    picture.pixels.resize(MazeCamera::kBytes);
    camera_.see(now.first(qpos().size()), picture.pixels);
  }
  return Observation(picture.pixels);
}

void VisualMazeEnv::render(std::span<const float> numbers, std::span<uint8_t> pixels) {
  const size_t size = MazeEnv::spec().observation_size(), needed = qpos().size();
  if (numbers.size() < needed || !std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); }))
    throw Error("a state of ", spec().name, " to render has ", size,
                " finite numbers (positions, then velocities), or ", needed, " positions alone; this one has ",
                numbers.size(), " numbers");
  camera_.see(numbers.first(needed), pixels);
}

}  // namespace alps

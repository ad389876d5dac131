#include "alps/show/expert_film.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/draw/video.h"
#include "alps/world/catalog.h"
#include "alps/world/maze_world.h"
#include "alps/world/physics_view.h"
#include "alps/world/renderer.h"

namespace alps {

void film_expert(const ExpertBody& body, const Expert& expert, const std::string& name,
                 const std::filesystem::path& path, const ExpertFilmOptions& options, const ProgressFn& progress) {
  const int steps = std::max(1, static_cast<int>(std::lround(options.seconds / body.seconds)));
  const auto env = make_env(name, {.terminate_at_goal = false, .max_episode_steps = steps + 1});
  const auto [plane, placement, maze] = maze_world(*env, "films of experts");
  ALPS_CHECK(env->physics() != nullptr && env->body() != nullptr);

  Rng rng(options.seed);
  const auto vertex = [&, &maze = maze] { return maze.center(rng.pick<Cell>(maze.vertex_cells())); };
  const Point2 start = maze.center(rng.pick<Cell>(maze.free_cells()));
  placement.reset(start, vertex(), rng.fork(0));

  Renderer renderer(*env->body(), options.width);
  const int every = std::max(1, static_cast<int>(std::lround(0.05 / body.seconds)));  // about 20 frames a second
  VideoWriter film(path, renderer.width(), renderer.height(), 1 / (every * body.seconds));
  std::vector<double> action(env->spec().action_size);
  for (int step = 0; step < steps; ++step) {
    if (step % every == 0) {
      const Point2 at = plane.position();
      renderer.aim({.look_at = {at.x, at.y, 0.7},
                    .distance = options.distance,
                    .azimuth = options.azimuth,
                    .elevation = options.elevation});
      film.write(renderer.render(env->physics()->qpos(), plane.goal()));
    }
    expert(env->observation().floats().subspan(2), maze.oracle_direction(plane.position(), plane.goal()), action);
    for (double& a : action) a = std::clamp(a + options.noise * rng.normal(), -1.0, 1.0);
    if (env->step(action).success) placement.set_goal(vertex());
    if (progress) progress(static_cast<size_t>(step + 1), static_cast<size_t>(steps));
  }
  film.finish();
}

}  // namespace alps

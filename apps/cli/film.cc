#include "cli/film.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "alps/base/interrupt.h"
#include "alps/data/dataset.h"
#include "alps/draw/cluster_map.h"
#include "alps/draw/grid_video.h"
#include "alps/draw/video.h"
#include "alps/graph/kmeans.h"

namespace alps::cli {
namespace {

constexpr size_t kStates = 60'000;       // of the data set, to draw regions and to find places by psi
constexpr int kShown = 24;               // candidates of each iteration
constexpr int kSkip = 3;                 // OGBench's video_frame_skip
constexpr int kFrames = 700;             // at most, of an episode
constexpr int kShort = 100;              // episodes of so few steps are shown step by step
constexpr double kRate = 15, kSlow = 4;  // frames a second

std::vector<uint8_t> to_bytes(std::span<const double> image) { return {image.begin(), image.end()}; }

// what the planner would say of a decision; mostly nothing
std::string note_of(const Decision& d) {
  if (d.no_route) return "no route, straight for the goal";
  if (d.detour) return str("no way on in region ", d.cluster, ", another route");
  if (d.replanned) return str("drifted to region ", d.cluster, ", new route");
  return {};
}

// an observed image, as large as a frame: grey values, several pixels each
Frame picture_of(const std::vector<uint8_t>& image, const Shape& shape, int width) {
  const int rows = static_cast<int>(shape[0]), columns = static_cast<int>(shape[1]),
            zoom = std::max(1, width / columns);
  const size_t channels = shape.size() > 2 ? shape[2] : 1;
  Frame frame(columns * zoom, rows * zoom);
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x)
      for (size_t c = 0; c < 3; ++c)
        frame.row(y)[3 * x + c] =
            image[(static_cast<size_t>(y / zoom) * columns + x / zoom) * channels + std::min(c, channels - 1)];
  return frame;
}

}  // namespace

Film::Film(const Run& run, const Env& env, PlannerConfig config, EvalParams eval, int episodes)
    : run_(run), env_(env), config_(std::move(config)), eval_(std::move(eval)) {
  find_ffmpeg();
  config_.cem.shown = kShown;
  eval_.episodes = episodes;
  const int steps = env.spec().max_episode_steps;
  skip_ = steps <= kShort ? 1 : std::max(kSkip, (steps + kFrames - 1) / kFrames);
  rate_ = steps <= kShort ? kSlow : kRate;

  const auto* maze = dynamic_cast<const MazeEnv*>(&env);
  const size_t tasks = eval_.tasks.empty() ? env.spec().num_tasks() : eval_.tasks.size();
  const size_t across = columns(tasks * episodes), rows = (tasks * episodes + across - 1) / across;
  if (maze != nullptr) try {
      const double share = (maze->maze()->height() - 2.0) / (maze->maze()->width() - 2.0);
      renderer_ = std::make_unique<Renderer>(*maze, grid_frame_width(across, rows, share));
    } catch (const Error& error) {
      std::fprintf(stderr, "alps: warning: no video.mp4, only map.mp4: %s\n", error.what());
    }
  sample_ =
      sample_states(load_for_sample(run.config.data_path, *run.model), *run.model, *run.graph,
                    {.states = kStates, .keep_observations = false, .psi_plane = true, .world = WorldPlane::kPlanar});
  centers_ = cluster_centers(sample_.places, sample_.labels, run.graph->clusters());
}

// tasks beside each other; a single task's episodes too, five at most
size_t Film::columns(size_t takes) const {
  const size_t tasks = eval_.tasks.empty() ? env_.spec().num_tasks() : eval_.tasks.size();
  return tasks > 1 ? tasks : std::min<size_t>(5, takes);
}

// where imagined states are: their position or, when it cannot be read off, that of the nearest state in psi
std::vector<Point2> Film::places(std::span<const float> states) const {
  const Model& model = *run_.model;
  const size_t s = model.state_size(), n = states.size() / s;
  std::vector<Point2> found;
  if (const auto& columns = sample_.place_columns) {
    const auto seen = [&](size_t i, size_t k) { return model.mean[k] + model.deviation[k] * states[i * s + k]; };
    for (size_t i = 0; i < n; ++i) found.push_back({seen(i, (*columns)[0]), seen(i, (*columns)[1])});
    return found;
  }
  std::vector<float> psi(n * model.eigenvectors());
  std::vector<int32_t> nearest(n);
  model.psi(states, psi);
  nearest_centers(psi, model.eigenvectors(), std::as_const(sample_.psi).as<float>(), nearest);
  for (const int32_t i : nearest) found.push_back(sample_.places[i]);
  return found;
}

PlanMoment Film::moment(const Decision& d, const Env& env, size_t step) const {
  PlanMoment m{.step = step};
  if (!d.route.empty()) {
    m.route.push_back(env.position());
    for (size_t i = 1; i < d.route.size(); ++i) m.route.push_back(centers_[d.route[i]]);
    if (d.route.size() > 1) m.route.pop_back();  // in its own region, the goal itself is meant
    m.route.push_back(env.goal());
    m.subgoal = d.target == d.goal_cluster ? env.goal() : centers_[d.target];
  }
  // elites of the last iteration over candidates of the first, where they are still spread
  const size_t s = run_.model->state_size();
  const auto add = [&](const Decision::Imagined& iteration, size_t first, size_t last) {
    const size_t size = iteration.states.size() / iteration.costs.size();
    const auto all = places(std::span(iteration.states).subspan(first * size, (last - first) * size));
    for (size_t at = 0; at < all.size(); at += size / s)
      m.imagined.emplace_back(all.begin() + at, all.begin() + at + size / s);
  };
  if (!d.imagined.empty()) {
    add(d.imagined.back(), 0, d.imagined.back().elites);
    m.elites = m.imagined.size();
    add(d.imagined.front(), 0, d.imagined.front().costs.size());
  }
  if (!d.imagined_plan.empty()) m.plan = places(d.imagined_plan);
  return m;
}

void Film::watch(Take& take, const Env& env, const Decision* decision) const {
  const size_t step = take.plan.path.size();
  const auto* maze = dynamic_cast<const MazeEnv*>(&env);
  if (step == 0) {
    take.plan.goal = env.goal();
    if (maze != nullptr) take.goal_qpos.assign(maze->goal_qpos().begin(), maze->goal_qpos().end());
    if (env.spec().image) take.goal_image = to_bytes(env.goal_observation());
  }
  take.plan.path.push_back(env.position());
  if (decision != nullptr)
    if (const std::string note = note_of(*decision); !note.empty()) take.note = note;
  if (decision != nullptr && step % skip_ != 0) return;
  if (maze != nullptr) take.qpos.emplace_back(env.qpos().begin(), env.qpos().end());
  if (env.spec().image) take.images.push_back(to_bytes(env.observation()));
  if (decision == nullptr) return;
  take.plan.moments.push_back(moment(*decision, env, step));
  take.plan.moments.back().note = std::move(take.note);
  take.note.clear();
}

void Film::shoot() {
  std::vector<int> tasks = eval_.tasks;
  for (int t = 1; t <= env_.spec().num_tasks() && eval_.tasks.empty(); ++t) tasks.push_back(t);
  // by episode, then task: rows of the videos
  std::vector<Take> takes(tasks.size() * eval_.episodes);
  const auto slot = [&](int task, int index) {
    return index * tasks.size() + (std::find(tasks.begin(), tasks.end(), task) - tasks.begin());
  };
  eval_.watch = [&](int task, int index, const Env& env, const Decision* decision) {
    watch(takes[slot(task, index)], env, decision);
  };
  Progress progress("filming", "episodes");
  const EvalResult result = evaluate(
      env_, [&] { return std::make_unique<Planner>(run_.model, run_.graph, config_); }, eval_,
      [&](size_t done, size_t total) {
        throw_if_interrupted();
        progress.update(done, total);
      });
  for (const EpisodeRecord& e : result.episodes) {
    PlanEpisode& plan = takes[slot(e.task, e.index)].plan;
    const bool named = env_.spec().num_tasks() > 1;
    plan.name = named ? str("task ", e.task) : str("episode ", e.index + 1);
    if (named && eval_.episodes > 1) plan.name += str(", episode ", e.index + 1);
    plan.success = e.success;
    plan.end =
        e.success ? str("arrived after ", e.steps, " steps") : str(outcome_name(e.outcome), ", ", e.steps, " steps");
  }
  write_map(takes);
  write_video(takes);
}

void Film::write_map(const std::vector<Take>& takes) {
  std::vector<PlanEpisode> episodes;
  for (const Take& take : takes) episodes.push_back(take.plan);
  Progress progress("drawing map.mp4", "frames");
  PlanVideoOptions options{.title = str(config_.variant, " on ", run_.config.data_name),
                           .points = sample_.places,
                           .labels = sample_.labels,
                           .columns = eval_.episodes > 1 ? columns(takes.size()) : std::min<size_t>(3, takes.size()),
                           .frames_per_second = rate_};
  options.progress = [&](size_t done, size_t total) {
    throw_if_interrupted();
    progress.update(done, total);
  };
  Floorplan floorplan = env_.floorplan();
  floorplan.leap = sample_.leap;
  draw_plan_video(run_.folder / "map.mp4", floorplan, episodes, options);
}

void Film::write_video(const std::vector<Take>& takes) {
  if (renderer_ == nullptr && !env_.spec().image) return;
  const size_t across = columns(takes.size()), rows = (takes.size() + across - 1) / across;
  const int width = renderer_ != nullptr ? renderer_->width() : grid_frame_width(across, rows, 1);
  std::vector<RenderedEpisode> episodes;
  for (const Take& take : takes) {
    RenderedEpisode e{.name = take.plan.name, .end = take.plan.end, .success = take.plan.success, .goal = {}};
    if (renderer_ != nullptr) {
      e.goal = renderer_->render(take.goal_qpos, take.plan.goal);
      e.count = take.qpos.size();
      e.frame = [&](size_t i) { return renderer_->render(take.qpos[i], take.plan.goal); };
    } else {
      e.goal = picture_of(take.goal_image, env_.spec().observation_shape, width);
      e.count = take.images.size();
      e.frame = [&](size_t i) { return picture_of(take.images[i], env_.spec().observation_shape, width); };
    }
    episodes.push_back(std::move(e));
  }
  Progress progress(str("rendering video.mp4", renderer_ ? " (" + renderer_->backend() + ")" : ""), "frames");
  GridVideoOptions options{.columns = across, .frames_per_second = rate_};
  options.progress = [&](size_t done, size_t total) {
    throw_if_interrupted();
    progress.update(done, total);
  };
  write_grid_video(run_.folder / "video.mp4", episodes, options);
}

}  // namespace alps::cli

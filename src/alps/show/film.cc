#include "alps/show/film.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "alps/base/interrupt.h"
#include "alps/data/dataset.h"
#include "alps/draw/cluster_map.h"
#include "alps/draw/grid_video.h"
#include "alps/draw/video.h"
#include "alps/show/places.h"
#include "alps/show/run_words.h"
#include "alps/world/physics_view.h"

namespace alps {
namespace {

constexpr size_t kStates = 60'000;       // of the data set, to draw regions and to find places by psi
constexpr int kShown = 24;               // candidates of each iteration
constexpr int kSkip = 3;                 // OGBench's video_frame_skip
constexpr int kFrames = 700;             // at most, of an episode
constexpr int kShort = 100;              // episodes of so few steps are shown step by step
constexpr double kRate = 15, kSlow = 4;  // frames a second

std::vector<uint8_t> copy_of(std::span<const uint8_t> image) { return {image.begin(), image.end()}; }

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

Film::Film(const Run& run, const Env& env, std::string variant, PlannerSettings settings, EvalParams eval, int episodes)
    : run_(run), env_(env), variant_(std::move(variant)), settings_(std::move(settings)), eval_(std::move(eval)) {
  find_ffmpeg();
  settings_.shown = kShown;
  eval_.episodes = episodes;
  const int steps = env.spec().max_episode_steps;
  skip_ = steps <= kShort ? 1 : std::max(kSkip, (steps + kFrames - 1) / kFrames);
  rate_ = steps <= kShort ? kSlow : kRate;

  if (env.planar() == nullptr && env.body() == nullptr && !env.spec().image)
    throw UsageError("a film: ", env.spec().name, " has neither a map nor a body nor images to film");
  const size_t tasks = eval_.tasks.empty() ? env.spec().num_tasks : eval_.tasks.size();
  const size_t across = columns(tasks * episodes), rows = (tasks * episodes + across - 1) / across;
  if (const BodyView* body = env.body(); body != nullptr && env.physics() != nullptr) try {
      renderer_ = std::make_unique<Renderer>(*body, grid_frame_width(across, rows, body->camera().aspect));
    } catch (const Error& error) {
      if (env.planar() == nullptr) throw;
      std::fprintf(
          stderr, "alps: warning: %s: %s\n",
          env.spec().image ? "video.mp4 shows what the agent sees, for lack of OpenGL" : "no video.mp4, only map.mp4",
          error.what());
    }
  if (env.planar() == nullptr) return;  // no map: no states on it
  sample_ = sample_states(load_for_sample(run.config.data_path, *run.model), *run.model, run.graph.get(),
                          {.states = kStates, .keep_observations = false, .psi_plane = true, .world = plane_of(&env)});
  if (run.graph) centers_ = cluster_centers(sample_.places, sample_.labels, run.graph->clusters());
}

// tasks beside each other; a single task's episodes too, five at most
size_t Film::columns(size_t takes) const {
  const size_t tasks = eval_.tasks.empty() ? env_.spec().num_tasks : eval_.tasks.size();
  return tasks > 1 ? tasks : std::min<size_t>(5, takes);
}

PlanMoment Film::moment(const Decision& d, const PlanarView& plane, size_t step) const {
  PlanMoment m{.step = step};
  if (!d.route.empty()) {
    m.route.push_back(plane.position());
    for (size_t i = 1; i < d.route.size(); ++i) m.route.push_back(centers_[d.route[i]]);
    if (d.route.size() > 1) m.route.pop_back();  // in its own region, the goal itself is meant
    m.route.push_back(plane.goal());
    m.subgoal = d.target == d.goal_cluster ? plane.goal() : centers_[d.target];
  }
  // elites of the last iteration over candidates of the first, where they are still spread
  const size_t s = run_.model->state_size();
  const auto add = [&](const Decision::Imagined& iteration, size_t first, size_t last) {
    const size_t size = iteration.states.size() / iteration.costs.size();
    const auto all =
        places_of(*run_.model, sample_, std::span(iteration.states).subspan(first * size, (last - first) * size));
    for (size_t at = 0; at < all.size(); at += size / s)
      m.imagined.emplace_back(all.begin() + at, all.begin() + at + size / s);
  };
  if (!d.imagined.empty()) {
    add(d.imagined.back(), 0, d.imagined.back().elites);
    m.elites = m.imagined.size();
    add(d.imagined.front(), 0, d.imagined.front().costs.size());
  }
  if (!d.imagined_plan.empty()) m.plan = places_of(*run_.model, sample_, d.imagined_plan);
  return m;
}

void Film::watch(Take& take, const Env& env, const Decision* decision) const {
  const size_t step = take.steps++;
  const PlanarView* plane = env.planar();
  const BodyView* body = env.body();
  const PhysicsView* physics = env.physics();
  if (step == 0) {
    if (plane != nullptr) take.plan.goal = plane->goal();
    if (body != nullptr) take.goal_qpos.assign(body->goal_qpos().begin(), body->goal_qpos().end());
    if (env.spec().image) take.goal_image = copy_of(env.goal_observation().bytes());
  }
  if (plane != nullptr) take.plan.path.push_back(plane->position());
  if (decision != nullptr)
    for (const Event& event : take.narrator.decided(static_cast<int>(step), *decision))
      if (!event.brief.empty()) take.note = event.brief;
  if (decision != nullptr && step % skip_ != 0) return;
  if (body != nullptr && physics != nullptr) take.qpos.emplace_back(physics->qpos().begin(), physics->qpos().end());
  if (env.spec().image) take.images.push_back(copy_of(env.observation().bytes()));
  if (decision == nullptr || plane == nullptr) return;
  take.plan.moments.push_back(moment(*decision, *plane, step));
  take.plan.moments.back().note = std::move(take.note);
  take.note.clear();
}

void Film::shoot() {
  std::vector<int> tasks = eval_.tasks;
  for (int t = 1; t <= env_.spec().num_tasks && eval_.tasks.empty(); ++t) tasks.push_back(t);
  // by episode, then task: rows of the videos
  std::vector<Take> takes(tasks.size() * eval_.episodes);
  const auto slot = [&](int task, int index) {
    return index * tasks.size() + (std::find(tasks.begin(), tasks.end(), task) - tasks.begin());
  };
  eval_.watch = [&](int task, int index, const Env& env, const Decision* decision) {
    watch(takes[slot(task, index)], env, decision);
  };
  Progress progress("filming", "episodes");
  const EvalResult result =
      evaluate(env_, make_policy(run_, variant_, settings_), eval_, [&](size_t done, size_t total) {
        throw_if_interrupted();
        progress.update(done, total);
      });
  for (const EpisodeRecord& e : result.episodes) {
    PlanEpisode& plan = takes[slot(e.task, e.index)].plan;
    const bool named = env_.spec().num_tasks > 1;
    plan.name = named ? str("task ", e.task) : str("episode ", e.index + 1);
    if (named && eval_.episodes > 1) plan.name += str(", episode ", e.index + 1);
    plan.success = e.success;
    plan.end =
        e.success ? str("arrived after ", e.steps, " steps") : str(outcome_name(e.outcome), ", ", e.steps, " steps");
  }
  if (env_.planar() != nullptr) write_map(takes);
  write_video(takes);
}

void Film::write_map(const std::vector<Take>& takes) {
  std::vector<PlanEpisode> episodes;
  for (const Take& take : takes) episodes.push_back(take.plan);
  Progress progress("drawing map.mp4", "frames");
  PlanVideoOptions options{.title = str(shown_policy(run_, variant_), " on ", run_.config.data_name),
                           .points = sample_.places,
                           .labels = sample_.labels,
                           .columns = eval_.episodes > 1 ? columns(takes.size()) : std::min<size_t>(3, takes.size()),
                           .frames_per_second = rate_};
  options.progress = [&](size_t done, size_t total) {
    throw_if_interrupted();
    progress.update(done, total);
  };
  Floorplan floorplan = env_.planar()->floorplan();
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
      const std::optional<Point2> mark = env_.planar() ? std::optional(take.plan.goal) : std::nullopt;
      e.goal = renderer_->render(take.goal_qpos, mark);
      e.count = take.qpos.size();
      e.frame = [&take, mark, this](size_t i) { return renderer_->render(take.qpos[i], mark); };
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

}  // namespace alps

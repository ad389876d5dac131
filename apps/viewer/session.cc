#include "viewer/session.h"

#include <algorithm>
#include <cmath>
#include <semaphore>

#include "alps/world/maze.h"
#include "alps/world/planar_view.h"
#include "viewer/json.h"

namespace alps::viewer {
namespace {

constexpr size_t kMostEvents = 200;

// decisions of all sessions share the cores
std::counting_semaphore<> cores(std::max(1u, std::thread::hardware_concurrency()));
struct Core {
  Core() { cores.acquire(); }
  ~Core() { cores.release(); }
};

// of some states the one that is furthest in psi
size_t far_from(const StateSample& sample, size_t from) {
  constexpr size_t kTried = 200;
  size_t best = from;
  double furthest = -1;
  for (size_t k = 0; k < kTried; ++k) {
    const size_t i = k * sample.size() / kTried;
    const double d = squared_distance(sample.psi.row<float>(i), sample.psi.row<float>(from));
    if (d > furthest) furthest = d, best = i;
  }
  return best;
}

std::vector<float> to_floats(Observation seen) {
  if (seen.image()) return {seen.bytes().begin(), seen.bytes().end()};
  return {seen.floats().begin(), seen.floats().end()};
}

}  // namespace

Session::Session(const ViewRun& view) : view_(view) {
  settings_.axes = default_axes(view);
  if (view_.run.model->prior.empty()) settings_.variant = "dijkstra+cem";
  if (view_.env) {
    env_ = view_.env->clone();
    const Maze* maze = maze_of(*env_);
    narrator_ = Narrator(maze != nullptr && !maze->teleport_in.empty());
  }
  // the first task, or else two states that lie apart
  task_ = env_ && !env_->planar()->tasks().empty() ? 1 : 0;
  start_.index = 0;
  goal_.index = far_from(view_.sample, 0);
  make_planner();
  begin();
  player_ = std::thread([this] { run(); });
}

Session::~Session() {
  close();
  player_.join();
}

void Session::make_planner() {
  const bool route = variant_named(settings_.variant).route;
  auto next = std::make_unique<Planner>(view_.run.model, route ? view_.run.graph : nullptr, settings_.resolve(view_));
  if (runner_) runner_->replace(*next, Rng(settings_.seed).fork(2));
  planner_ = std::move(next);
}

std::vector<float> Session::normalized(std::span<const float> observation) const {
  std::vector<float> state(view_.run.model->state_size());
  view_.run.model->observe(observation, state);
  return state;
}

// from the start
void Session::begin() {
  const Core core;
  playing_ = false;
  events_.clear();
  trail_.clear();
  distances_.clear();
  const Rng rng(settings_.seed);
  if (env_) {
    if (!runner_) runner_ = std::make_unique<EpisodeRunner>(*env_, *planner_);
    if (task_ > 0)
      runner_->start(task_, 0, rng);
    else
      runner_->start(view_.sample.places[start_.index], view_.sample.places[goal_.index], rng);
    start_.place = env_->planar()->position();
    goal_.place = env_->planar()->goal();
    start_.state = normalized(to_floats(env_->observation()));
    goal_.state = normalized(to_floats(env_->goal_observation()));
    if (task_ > 0) {
      start_.index = view_.sample.nearest(start_.place);
      goal_.index = view_.sample.nearest(goal_.place);
    }
  } else {
    for (End* end : {&start_, &goal_}) {
      end->state = normalized(view_.sample.observation(end->index));
      if (!view_.sample.places.empty()) end->place = view_.sample.places[end->index];
    }
    planner_->reset(view_.sample.observation(goal_.index), rng.fork(1));
  }
  trail_.push_back(start_.state);
  look();
}

void Session::look() {
  if (runner_)
    trace_ = trace(runner_->preview());
  else
    trace_ = trace(Planner(*planner_).act(view_.sample.observation(start_.index)));
  trace_["preview"] = true;
  trace_["serial"] = ++serial_;
}

// one decision and one step
void Session::advance() {
  const Core core;
  const Decision& decision = runner_->step();
  distances_.push_back(static_cast<float>(decision.goal_distance));
  trail_.push_back(normalized(to_floats(env_->observation())));
  std::vector<Event> news = narrator_.after(runner_->record(), decision, runner_->done());
  trace_ = trace(decision);
  trace_["serial"] = ++serial_;
  trace_["events"] = nlohmann::json::array();
  for (const Event& e : news) trace_["events"].push_back({{"step", e.step}, {"kind", e.kind}, {"text", e.text}});
  events_.insert(events_.end(), news.begin(), news.end());
  if (events_.size() > kMostEvents) events_.erase(events_.begin(), events_.end() - kMostEvents);
  if (runner_->done()) playing_ = false;
}

size_t Session::state_index(const nlohmann::json& value, const char* what) const {
  const StateSample& sample = view_.sample;
  if (value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number() && !sample.places.empty()) {
    const Point2 p{value[0].get<double>(), value[1].get<double>()};
    if (std::isfinite(p.x) && std::isfinite(p.y)) return sample.nearest(p);
  }
  const bool whole = value.is_number_integer() && value.get<double>() >= 0 && value.get<double>() < sample.size();
  if (!whole) throw UsageError(what, " is a state, 0 to ", sample.size() - 1, ", or a place [x, y]");
  return value.get<size_t>();
}

nlohmann::json Session::place(const nlohmann::json& body) {
  const Lock lock = turn();
  int task = task_;
  size_t start = start_.index, goal = goal_.index;
  for (const auto& [key, value] : body.items()) {
    if (key == "start" || key == "goal") {
      (key == "start" ? start : goal) = state_index(value, key.c_str());
      task = 0;
    } else if (key == "task") {
      const int tasks = env_ ? static_cast<int>(env_->planar()->tasks().size()) : 0;
      if (!value.is_number_integer() || value.get<double>() < 1 || value.get<double>() > tasks)
        throw UsageError(tasks > 0 ? str("task is 1 to ", tasks) : "this run has no tasks");
      task = value.get<int>();
    } else {
      throw UsageError("a place has start, goal or task, not '", key, "'");
    }
  }
  task_ = task;
  start_.index = start;
  goal_.index = goal;
  begin();
  return full();
}

nlohmann::json Session::change(const nlohmann::json& body) {
  const Lock lock = turn();
  Settings before = settings_;
  settings_.change(view_, body);
  // looking along other axes is no other planner
  const bool looks = body.size() == 1 && body.contains("axes");
  try {
    if (!looks) make_planner();
  } catch (...) {
    settings_ = before;
    throw;
  }
  // an episode under way goes on from where it is, with the new settings
  if (!runner_ || runner_->record().steps == 0) {
    begin();
  } else if (looks || runner_->done()) {
    trace_ = trace(runner_->decision());
    trace_["serial"] = ++serial_;
  } else {
    const Core core;
    look();
  }
  return full();
}

nlohmann::json Session::play(const nlohmann::json& body) {
  const Lock lock = turn();
  if (body.contains("speed")) {
    const auto& value = body["speed"];
    if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= 1000))
      throw UsageError("speed is decisions a second, up to 1000; 0: as fast as it goes");
    speed_ = value.get<double>();
  }
  if (!runner_)
    throw UsageError(
        "there is no environment to act in: this run was trained on data of your own. Route, distance and "
        "the next decision can be seen");
  if (body.value("run", true)) {
    if (runner_->done()) begin();
    playing_ = true;
    wake_.notify_all();
  }
  return full();
}

nlohmann::json Session::pause() {
  const Lock lock = turn();
  playing_ = false;
  return full();
}

nlohmann::json Session::step() {
  const Lock lock = turn();
  if (!runner_) throw UsageError("there is no environment to act in");
  playing_ = false;
  if (runner_->done()) begin();
  advance();
  return full();
}

nlohmann::json Session::restart() {
  const Lock lock = turn();
  make_planner();
  begin();
  return full();
}

nlohmann::json Session::state() {
  const Lock lock = turn();
  return full();
}

}  // namespace alps::viewer

#include "viewer/session.h"

#include <algorithm>
#include <cmath>
#include <semaphore>

#include "alps/show/places.h"
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

// of two states: in psi, or else on the map, or else between what is seen
double apart(const StateSample& sample, size_t a, size_t b) {
  if (sample.embedded()) return squared_distance(sample.psi.row<float>(a), sample.psi.row<float>(b));
  if (!sample.places.empty()) return distance(sample.places[a], sample.places[b]);
  return squared_distance(sample.observation(a), sample.observation(b));
}

// of some states one that is far away, though not the furthest, which is often the oddest state of the data
size_t far_from(const StateSample& sample, size_t from) {
  constexpr size_t kTried = 200;
  std::vector<std::pair<double, size_t>> all;
  for (size_t k = 0; k < kTried; ++k) {
    const size_t i = k * sample.size() / kTried;
    all.emplace_back(apart(sample, i, from), i);
  }
  std::ranges::sort(all);
  return all[kTried * 9 / 10].second;
}

// a state of the sample as a policy sees it
Observation seen(const StateSample& sample, size_t i) {
  if (sample.observations.dtype() == DType::kUInt8) return sample.observations.row<uint8_t>(i);
  return sample.observations.row<float>(i);
}

}  // namespace

Session::Session(const ViewRun& view) : view_(view) {
  settings_.axes = default_axes(view);
  settings_.begin_with(view.choice);
  if (view_.env) {
    env_ = view_.env->clone();
    guest_ = dynamic_cast<guest::GuestEnv*>(env_.get());
    if (view_.scene) scene_.emplace(*env_->body());
    narrator_ = Narrator(view_.sample.leap);
  }
  // the first task, or else two states that lie apart
  task_ = tasks() > 0 ? 1 : 0;
  start_.index = 0;
  goal_.index = far_from(view_.sample, 0);
  make_policy();
  begin();
  player_ = std::thread([this] { run(); });
}

Session::~Session() {
  close();
  player_.join();
}

void Session::make_policy() {
  auto next = alps::make_policy(view_.run, settings_.variant, settings_.resolve(view_))();
  if (runner_) runner_->replace(*next, Rng(settings_.seed).fork(2));
  policy_ = std::move(next);
}

std::vector<float> Session::normalized(Observation observation) const {
  std::vector<float> state(view_.run.model->state_size());
  view_.run.model->observe(observation, state);
  return state;
}

// from the start
void Session::begin() {
  const Core core;
  playing_ = false;
  events_.clear();
  news_ = 0;
  const Rng rng(settings_.seed);
  if (env_) {
    if (!runner_) runner_ = std::make_unique<EpisodeRunner>(*env_, *policy_);
    if (guest_)
      begin_guest(rng);
    else
      begin_native(rng);
    broken_ = false;
  } else {
    for (End* end : {&start_, &goal_}) {
      end->state = normalized(seen(view_.sample, end->index));
      if (!view_.sample.places.empty()) end->place = view_.sample.places[end->index];
    }
    policy_->reset(seen(view_.sample, goal_.index), rng.fork(1));
  }
  states_ = start_.state;
  look();
}

void Session::begin_native(const Rng& rng) {
  if (task_ > 0)
    runner_->start(task_, 0, rng);
  else
    runner_->start(view_.sample.places[start_.index], view_.sample.places[goal_.index], rng);
  start_.state = normalized(runner_->observation());
  goal_.state = normalized(runner_->goal_observation());
  if (const PlanarView* plane = env_->planar()) {
    start_.place = plane->position();
    goal_.place = plane->goal();
  }
  if (task_ == 0) return;
  for (End* end : {&start_, &goal_})
    end->index = view_.mapped() ? view_.sample.nearest(end->place) : nearest(end->state);
}

// an environment that can not be put anywhere begins where it likes: a state of the sample then stands for its start
void Session::begin_guest(const Rng& rng) {
  const bool placed = task_ == 0 && guest_->about().starts;
  std::optional<Observation> start;
  if (placed) start = seen(view_.sample, start_.index);
  if (task_ == 0) guest_->aim(start, seen(view_.sample, goal_.index));
  broken_ = true;  // until it has begun
  runner_->start(task_, 0, rng);
  start_.state = normalized(runner_->observation());
  goal_.state = normalized(runner_->goal_observation());
  if (!placed) start_.index = nearest(start_.state);
  if (task_ > 0) goal_.index = nearest(goal_.state);
  if (!view_.sample.places.empty())
    for (End* end : {&start_, &goal_}) end->place = places_of(*view_.run.model, view_.sample, end->state)[0];
}

size_t Session::nearest(std::span<const float> state) const {
  const StateSample& sample = view_.sample;
  if (sample.embedded()) {
    std::vector<float> psi(view_.run.model->eigenvectors());
    view_.run.model->psi(state, psi);
    return sample.nearest(psi);
  }
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < sample.size(); ++i)
    if (const double d = squared_distance(normalized(seen(sample, i)), state); d < least) least = d, best = i;
  return best;
}

void Session::look() {
  shown_ = runner_ ? runner_->preview() : policy_->clone()->act(seen(view_.sample, start_.index));
  preview_ = true;
  ++serial_;
}

// one decision and one step
void Session::advance() {
  const Core core;
  try {
    shown_ = runner_->step();
  } catch (...) {
    broken_ = true;
    throw;
  }
  preview_ = false;
  ++serial_;
  const std::vector<float> state = normalized(runner_->observation());
  states_.insert(states_.end(), state.begin(), state.end());
  std::vector<Event> news = narrator_.after(runner_->record(), shown_, runner_->done());
  if (guest_ && guest_->ended_early())
    news.back().text = str("the environment ended the episode after ", runner_->record().steps, " steps");
  news_ = news.size();
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

Json Session::place(const nlohmann::json& body) {
  const Lock lock = turn();
  int task = task_;
  size_t start = start_.index, goal = goal_.index;
  for (const auto& [key, value] : body.items()) {
    if (key == "start" && guest_ && !guest_->about().starts)
      throw UsageError("episodes begin where the environment begins: alps.view was given no place=");
    if ((key == "start" || key == "goal") && env_ && !guest_ && !view_.mapped())
      throw UsageError("an episode of this world is one of its tasks: give task, 1 to ", tasks());
    if (key == "start" || key == "goal") {
      (key == "start" ? start : goal) = state_index(value, key.c_str());
      task = 0;
    } else if (key == "task") {
      if (!value.is_number_integer() || value.get<double>() < 1 || value.get<double>() > tasks())
        throw UsageError(tasks() > 0 ? str("task is 1 to ", tasks()) : "this run has no tasks");
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

Json Session::change(const nlohmann::json& body) {
  const Lock lock = turn();
  Settings before = settings_;
  settings_.change(view_, body);
  // looking along other axes is no other planner
  const bool looks = body.size() == 1 && body.contains("axes");
  try {
    if (!looks) make_policy();
  } catch (...) {
    settings_ = before;
    throw;
  }
  // an episode under way goes on from where it is, with the new settings
  if (!runner_ || runner_->record().steps == 0) {
    begin();
  } else if (!looks && !runner_->done()) {
    const Core core;
    look();
  } else {
    ++serial_;  // the same decision, seen along other axes
  }
  return full();
}

Json Session::play(const nlohmann::json& body) {
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
        "the next decision can be seen; alps.view(run, env) of the Python package brings an environment along");
  if (body.value("run", true)) {
    if (runner_->done() || broken_) begin();
    playing_ = true;
    wake_.notify_all();
  }
  return full();
}

Json Session::pause() {
  const Lock lock = turn();
  playing_ = false;
  return full();
}

Json Session::step() {
  const Lock lock = turn();
  if (!runner_) throw UsageError("there is no environment to act in");
  playing_ = false;
  if (runner_->done() || broken_) begin();
  advance();
  return full();
}

Json Session::restart() {
  const Lock lock = turn();
  make_policy();
  begin();
  return full();
}

std::string Session::picture() {
  const Lock lock = turn();
  if (!guest_ || !guest_->about().pictures) throw UsageError("this environment can not be drawn");
  return guest_->picture();
}

int Session::tasks() const {
  if (guest_) return guest_->about().own_goals ? 1 : 0;
  if (env_ && env_->planar() != nullptr) return static_cast<int>(env_->planar()->tasks().size());
  return env_ ? env_->spec().num_tasks : 0;
}

Json Session::state() {
  const Lock lock = turn();
  return full();
}

}  // namespace alps::viewer

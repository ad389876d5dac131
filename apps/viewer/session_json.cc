// What a session tells its page, as JSON.
#include <map>

#include "alps/world/body_view.h"
#include "alps/world/planar_view.h"
#include "viewer/json.h"
#include "viewer/session.h"

namespace alps::viewer {
namespace {

// a colour as the page writes it
std::string hex(const std::array<float, 3>& color) {
  char text[8];
  const auto byte = [](float c) { return static_cast<int>(std::lround(255 * std::clamp(c, 0.0f, 1.0f))); };
  std::snprintf(text, sizeof text, "#%02x%02x%02x", byte(color[0]), byte(color[1]), byte(color[2]));
  return text;
}

nlohmann::json line(const ViewRun& view, const Axes& axes, std::span<const float> states) {
  const size_t s = view.run.model->state_size();
  nlohmann::json points = nlohmann::json::array();
  for (size_t at = 0; at + s <= states.size(); at += s) {
    const Point2 p = project(view, axes, states.subspan(at, s));
    points.push_back(rounded(p.x));
    points.push_back(rounded(p.y));
  }
  return points;
}

}  // namespace

nlohmann::json Session::trace(const Decision& d) const {
  nlohmann::json imagined = nlohmann::json::array();
  const size_t size = view_.run.model->state_size();
  for (size_t k = 0; k < d.imagined.size(); ++k) {
    const auto& [elites, states, costs] = d.imagined[k];
    const size_t path = states.size() / std::max<size_t>(1, costs.size());  // numbers of one candidate
    ALPS_CHECK(path % size == 0);
    for (size_t i = 0; i < costs.size(); ++i)
      imagined.push_back({{"iteration", k},
                          {"elite", i < elites},
                          {"cost", rounded(costs[i])},
                          {"points", line(view_, settings_.axes, std::span(states).subspan(i * path, path))}});
  }
  const EpisodeRecord* record = runner_ ? &runner_->record() : nullptr;
  const bool done = runner_ && runner_->done();
  const Point2 now = env_ ? env_->planar()->position() : start_.place;
  const bool placed = !view_.sample.places.empty();
  return {{"step", record ? record->steps : 0},
          {"position", json_of(project(view_, settings_.axes, trail_.back(), placed ? &now : nullptr))},
          {"action", rounded_all(d.action)},
          {"cluster", d.cluster},
          {"target", d.target},
          {"goal_cluster", d.goal_cluster},
          {"route", d.route},
          {"subgoal_distance", rounded(d.subgoal_distance)},
          {"goal_distance", rounded(d.goal_distance)},
          {"replanned", d.replanned},
          {"detour", d.detour},
          {"no_route", d.no_route},
          {"top_p", rounded(d.top_p)},
          {"kept_plan", d.kept_plan},
          {"best_costs", rounded_all(d.best_costs)},
          {"elite_costs", rounded_all(d.elite_costs)},
          {"imagined", imagined},
          {"plan", line(view_, settings_.axes, d.imagined_plan)},
          {"ms",
           {{"total", rounded(d.total_ms)},
            {"embed", rounded(d.embed_ms)},
            {"propose", rounded(d.propose_ms)},
            {"search", rounded(d.search_ms)}}},
          {"body", body()},
          {"done", done},
          {"success", done && record->success}};
}

// [kind, centre, long axis, radius, half length, colour] of each solid
nlohmann::json Session::body() const {
  nlohmann::json parts = nlohmann::json::array();
  if (!env_ || env_->body() == nullptr) return parts;
  for (const BodyPart& p : env_->body()->parts()) {
    const bool round = p.shape == BodyPart::Shape::kSphere || p.shape == BodyPart::Shape::kEllipsoid;
    parts.push_back({round ? "sphere" : "capsule", rounded_all(p.center),
                     rounded_all(std::array{p.axes[2], p.axes[5], p.axes[8]}), rounded(p.size[0]),
                     rounded(round ? 0 : p.size[1]), hex(p.color)});
  }
  if (parts.size() <= 1) parts.clear();  // a point needs no picture of its own
  return parts;
}

nlohmann::json Session::full() const {
  const bool placed = !view_.sample.places.empty();
  const auto end = [&](const End& e) -> nlohmann::json {
    return {{"index", e.index},
            {"point", json_of(project(view_, settings_.axes, e.state, placed ? &e.place : nullptr))}};
  };
  nlohmann::json path = nlohmann::json::array(), events = nlohmann::json::array();
  for (size_t i = 0; i < trail_.size(); ++i) {
    const Point2* place = runner_ ? &runner_->record().path[i] : placed ? &start_.place : nullptr;
    path.push_back(json_of(project(view_, settings_.axes, trail_[i], place)));
  }
  for (const Event& e : events_) events.push_back({{"step", e.step}, {"kind", e.kind}, {"text", e.text}});
  return {{"settings", settings_.json(view_)},
          {"task", task_},
          {"start", end(start_)},
          {"goal", end(goal_)},
          {"path", path},
          {"distances", rounded_all(distances_)},
          {"times", rounded_all(runner_ ? runner_->record().decision_ms : std::vector<float>())},
          {"events", events},
          {"playing", playing_},
          {"speed", speed_},
          {"moment", trace_}};
}

}  // namespace alps::viewer

// What a session tells its page, as JSON.
#include "alps/plan/decision_json.h"
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

Json json_of(const std::vector<Event>& events, size_t first) {
  Json list = Json::array();
  for (size_t i = first; i < events.size(); ++i)
    list.push_back({{"step", events[i].step}, {"kind", events[i].kind}, {"text", events[i].text}});
  return list;
}

}  // namespace

// where the agent has been, along the axes
std::vector<Point2> Session::path() const {
  if (runner_) return project(view_, settings_.axes, states_, runner_->record().path);
  return project(view_, settings_.axes, states_,
                 view_.sample.places.empty() ? std::vector<Point2>() : std::vector{start_.place});
}

Json Session::moment() const {
  const DecisionJsonOptions options{.decimals = 6, .place = [&](std::span<const float> states) {
                                      std::vector<double> flat;
                                      for (const Point2 p : project(view_, settings_.axes, states))
                                        flat.insert(flat.end(), {p.x, p.y});
                                      return flat;
                                    }};
  Json moment = decision_json(shown_, options);
  const EpisodeRecord* record = runner_ ? &runner_->record() : nullptr;
  const bool done = runner_ && runner_->done();
  moment["serial"] = serial_;
  moment["preview"] = preview_;
  moment["step"] = record ? record->steps : 0;
  moment["position"] = json_of(path().back());
  moment["body"] = body();
  moment["done"] = done;
  moment["success"] = done && record->success;
  moment["playing"] = playing_;
  moment["events"] = preview_ ? Json::array() : json_of(events_, events_.size() - std::min(news_, events_.size()));
  return moment;
}

// [kind, centre, long axis, radius, half length, colour] of each solid
Json Session::body() const {
  Json parts = Json::array();
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

Json Session::full() const {
  const auto end = [&](const End& e) -> Json {
    std::vector<Point2> places;
    if (!view_.sample.places.empty()) places = {e.place};
    return {{"index", e.index}, {"point", json_of(project(view_, settings_.axes, e.state, places)[0])}};
  };
  Json points = Json::array();
  for (const Point2 p : path()) points.push_back(json_of(p));
  const EpisodeRecord none, &record = runner_ ? runner_->record() : none;
  return {{"settings", settings_.json(view_)},
          {"task", task_},
          {"start", end(start_)},
          {"goal", end(goal_)},
          {"path", points},
          {"distances", rounded_all(record.goal_distances)},
          {"times", rounded_all(record.decision_ms)},
          {"events", json_of(events_, 0)},
          {"playing", playing_},
          {"speed", speed_},
          {"moment", moment()}};
}

}  // namespace alps::viewer

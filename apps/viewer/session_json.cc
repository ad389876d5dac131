// What a session tells its page, as JSON.
#include "alps/plan/decision_json.h"
#include "alps/world/planar_view.h"
#include "viewer/json.h"
#include "viewer/scene_json.h"
#include "viewer/session.h"

namespace alps::viewer {
namespace {

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

Json Session::moment() {
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
  if (scene_) moment["scene"] = scene_moment(*scene_, *env_);
  moment["done"] = done;
  moment["success"] = done && record->success;
  moment["playing"] = playing_;
  moment["events"] = preview_ ? Json::array() : json_of(events_, events_.size() - std::min(news_, events_.size()));
  return moment;
}

Json Session::full() {
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
          {"goal_poses", scene_ ? goal_poses(*scene_, *env_) : Json::array()},
          {"moment", moment()}};
}

}  // namespace alps::viewer

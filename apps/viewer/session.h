// One browser's episode: a start and a goal, a policy with the settings of this page, an environment of its own (where
// there is one; that of a Python process is one for all, guest/guest_env.h), and a thread that plays it. Commands come
// from the server's threads, one at a time; what happens goes to the page as events. What happened so far is the record
// of the runner, the states it went through, and the decision that is shown; all JSON is written from these when it is
// sent.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "alps/eval/episode_runner.h"
#include "alps/eval/narration.h"
#include "alps/world/scene_parts.h"
#include "viewer/event_queue.h"
#include "viewer/settings.h"

namespace alps::viewer {

using Json = nlohmann::ordered_json;

class Session {
 public:
  explicit Session(const ViewRun& view);
  ~Session();

  // Each takes the body of a request, does what it says and returns the state of the session; UsageError for a body
  // that makes no sense.
  Json place(const nlohmann::json& body);   // {"start": state or [x, y], "goal": the same} or {"task": 1}
  Json change(const nlohmann::json& body);  // settings
  Json play(const nlohmann::json& body);    // {"speed": decisions a second, 0: as fast as it goes}
  Json pause();
  Json step();     // one decision
  Json restart();  // the same start and goal from the beginning
  Json state();
  std::string picture();  // PNG, of an environment that can be drawn

  // the events from now on, the state first; whoever listened before is closed
  std::shared_ptr<EventQueue> listen();
  bool listened() const;
  void stop();   // no decision begins any more, and whoever listens is closed
  void close();  // the same, and waits for the decision under way

 private:
  struct End {
    size_t index = 0;  // state of the sample
    Point2 place;
    std::vector<float> state;  // normalized
  };
  using Lock = std::unique_lock<std::mutex>;
  Lock turn() const;  // commands go before the next decision of the player

  void begin();
  void begin_native(const Rng& rng);
  void begin_guest(const Rng& rng);
  void make_policy();
  void look();  // shows what the next decision will be
  void advance();
  int tasks() const;  // of the environment
  size_t state_index(const nlohmann::json& value, const char* what) const;
  std::vector<float> normalized(Observation observation) const;
  size_t nearest(std::span<const float> state) const;  // of the sample, to a normalized state
  std::vector<Point2> path() const;
  Json moment();  // the decision that is shown, and where the agent is
  Json full();
  std::shared_ptr<EventQueue> queue() const;
  bool tell(const Json& message, const char* kind);
  void run();

  const ViewRun& view_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Settings settings_;
  std::unique_ptr<Env> env_;
  std::optional<SceneParts> scene_;   // where there is more to see than a map
  guest::GuestEnv* guest_ = nullptr;  // the same, where it is one
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<EpisodeRunner> runner_;  // none without an environment
  Narrator narrator_;
  int task_ = 0;         // of the environment; 0: a start and a goal of one's own
  bool broken_ = false;  // the environment has failed: nothing but another beginning helps
  End start_, goal_;
  std::vector<float> states_;  // normalized, those of the record's path
  Decision shown_;             // the last decision, or the next one
  bool preview_ = false;       // it is the next one
  int64_t serial_ = 0;         // of decisions shown
  std::vector<Event> events_;
  size_t news_ = 0;  // of them, the last ones belong to the last step
  double speed_ = 10;
  bool playing_ = false;
  std::atomic<bool> stop_ = false;
  mutable std::atomic<int> waiting_ = 0;  // commands
  mutable std::mutex queue_mutex_;        // held for a moment only
  std::shared_ptr<EventQueue> queue_;
  std::thread player_;
};

}  // namespace alps::viewer

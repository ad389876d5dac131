// The open sessions, by name. Their number is bounded; a new one takes the place of one that no page has used for a
// while.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "viewer/session.h"

namespace alps::viewer {

struct SessionParams {
  size_t most = 16;
  std::chrono::seconds idle{600};  // a session that no page listens to ends after this
  std::chrono::seconds grace{20};  // and may be ended after this when there is no room
};

class Sessions {
 public:
  explicit Sessions(const ViewRun& view, SessionParams params = {}) : view_(view), params_(params) {}

  std::string open();                                      // its name; empty: there is no room
  std::shared_ptr<Session> find(const std::string& name);  // null: there is none
  void sweep();                                            // ends idle ones
  void close();                                            // all, for good
  const SessionParams& params() const { return params_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::shared_ptr<Session> session;
    Clock::time_point used;
  };
  // takes out what may end; it ends outside the lock
  std::vector<std::shared_ptr<Session>> take_idle(std::chrono::seconds since, size_t most);

  const ViewRun& view_;
  const SessionParams params_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  size_t opening_ = 0;
  bool closed_ = false;
};

}  // namespace alps::viewer

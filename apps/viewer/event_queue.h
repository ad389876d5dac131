// What waits to be sent to one browser: a bounded queue between a session, which acts, and the connection that its page
// listens on. A full queue holds the session back, so a slow page slows its own episode and nothing else.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace alps::viewer {

class EventQueue {
 public:
  static constexpr size_t kMost = 64;

  // false: nobody listens any more, or not in time
  bool push(std::string event, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, patience, [&] { return over() || events_.size() < kMost; }) || over()) return false;
    events_.push_back(std::move(event));
    changed_.notify_all();
    return true;
  }

  std::optional<std::string> pop(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return closed_ || !events_.empty(); });
    if (closed_ || events_.empty()) return std::nullopt;
    std::string event = std::move(events_.front());
    events_.pop_front();
    closed_ = finished_ && events_.empty();
    changed_.notify_all();
    return event;
  }

  // one last word, then nothing
  void finish(std::string last) {
    const std::lock_guard lock(mutex_);
    events_ = {std::move(last)};
    finished_ = true;
    changed_.notify_all();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return over();
  }

 private:
  bool over() const { return closed_ || finished_; }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> events_;
  bool closed_ = false, finished_ = false;
};

}  // namespace alps::viewer

// Progress of long work, for people: a bar with rate and time left on a terminal, plain lines in a log. Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

namespace alps {

// What long work reports to: `done` of `total` units. Rooms below apps/ only see this callback; may throw to cancel.
using ProgressFn = std::function<void(size_t done, size_t total)>;

class Progress {
 public:
  // "making data [=====>    ] 45 %  12,300/27,000 steps  8,100 steps/s  0:01 left"
  Progress(std::string label, std::string unit);
  ~Progress();  // ends the line
  void update(size_t done, size_t total, const std::string& note = "");
  ProgressFn callback() {
    return [this](size_t done, size_t total) { update(done, total); };
  }

 private:
  void print(size_t done, size_t total, const std::string& note, bool last);

  std::string label_, unit_;
  std::chrono::steady_clock::time_point start_, printed_;
  size_t done_ = 0, total_ = 0;
  bool terminal_, finished_ = false, shown_ = false;
  std::mutex mutex_;
};

std::string with_commas(size_t n);       // 1234567 -> "1,234,567"
std::string clock_text(double seconds);  // "0:07", "1:02:03"

}  // namespace alps

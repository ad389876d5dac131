#include "alps/base/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "alps/base/error.h"

namespace alps {

using Clock = std::chrono::steady_clock;

std::string with_commas(size_t n) {
  std::string text = std::to_string(n);
  for (int i = static_cast<int>(text.size()) - 3; i > 0; i -= 3) text.insert(i, ",");
  return text;
}

std::string clock_text(double seconds) {
  const long s = std::lround(seconds);
  char text[32];
  if (s >= 3600)
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  else
    std::snprintf(text, sizeof text, "%ld:%02ld", s / 60, s % 60);
  return text;
}

namespace {

// slow work shows two decimals
std::string rate_text(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", rate);
  return rate < 10 ? text : with_commas(std::llround(rate));
}

}  // namespace

Progress::Progress(std::string label, std::string unit)
    : label_(std::move(label)), unit_(std::move(unit)), start_(Clock::now()), printed_(start_), terminal_(isatty(2)) {}

Progress::~Progress() {
  if (terminal_ && shown_ && !finished_) std::fprintf(stderr, "\n");
}

void Progress::update(size_t done, size_t total, const std::string& note) {
  std::lock_guard lock(mutex_);
  done_ = std::max(done, done_);
  total_ = total;
  const bool last = done_ >= total_ && !finished_;
  const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(10);
  if (!last && Clock::now() - printed_ < pause) return;
  print(done_, total_, note, last);
}

void Progress::print(size_t done, size_t total, const std::string& note, bool last) {
  printed_ = Clock::now();
  shown_ = true;
  finished_ = finished_ || last;
  const double seconds = std::chrono::duration<double>(printed_ - start_).count();
  const double share = total ? static_cast<double>(done) / total : 1.0;
  const double rate = seconds > 0 ? done / seconds : 0;

  std::string line = label_ + " ";
  if (terminal_) {
    constexpr int kWidth = 24;
    const int filled = static_cast<int>(share * kWidth);
    line += "[" + std::string(filled, '=') + (filled < kWidth ? ">" : "") +
            std::string(std::max(0, kWidth - filled - 1), ' ') + "] ";
  }
  line += str(static_cast<int>(share * 100), " %  ", with_commas(done), "/", with_commas(total), " ", unit_, "  ",
              rate_text(rate), " ", unit_, "/s  ");
  if (last)
    line += "in " + clock_text(seconds);
  else if (rate > 0)
    line += clock_text((total - done) / rate) + " left";
  if (!note.empty()) line += "  " + note;
  std::fprintf(stderr, terminal_ ? "\r\033[K%s%s" : "%s%s", line.c_str(), terminal_ && !last ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace alps

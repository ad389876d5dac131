#include "viewer/sessions.h"

#include <algorithm>
#include <random>

namespace alps::viewer {
namespace {

// names that can not be guessed
std::string random_name() {
  std::random_device device;
  std::string name;
  for (int word = 0; word < 4; ++word) {
    char text[9];
    std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(device()));
    name += text;
  }
  return name;
}

}  // namespace

std::vector<std::shared_ptr<Session>> Sessions::take_idle(std::chrono::seconds since, size_t most) {
  std::vector<std::shared_ptr<Session>> taken;
  const auto now = Clock::now();
  while (taken.size() < most) {
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (it->second.session->listened()) it->second.used = now;
      if (now - it->second.used >= since && (oldest == entries_.end() || it->second.used < oldest->second.used))
        oldest = it;
    }
    if (oldest == entries_.end()) break;
    taken.push_back(std::move(oldest->second.session));
    entries_.erase(oldest);
  }
  return taken;
}

std::string Sessions::open() {
  std::vector<std::shared_ptr<Session>> ended;
  {
    const std::lock_guard lock(mutex_);
    if (entries_.size() + opening_ >= params_.most) ended = take_idle(params_.grace, 1);
    if (closed_ || entries_.size() + opening_ >= params_.most) return {};
    ++opening_;
  }
  // a world of its own takes a moment to make; others go on
  std::shared_ptr<Session> session;
  try {
    session = std::make_shared<Session>(view_);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    --opening_;
    throw;
  }
  const std::lock_guard lock(mutex_);
  --opening_;
  if (closed_) return {};
  const std::string name = random_name();
  entries_[name] = {std::move(session), Clock::now()};
  return name;
}

std::shared_ptr<Session> Sessions::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return nullptr;
  found->second.used = Clock::now();
  return found->second.session;
}

void Sessions::sweep() {
  std::vector<std::shared_ptr<Session>> ended;
  const std::lock_guard lock(mutex_);
  ended = take_idle(params_.idle, params_.most);
}

void Sessions::close() {
  std::map<std::string, Entry> ended;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    ended.swap(entries_);
  }
  for (auto& [name, entry] : ended) entry.session->stop();
  for (auto& [name, entry] : ended) entry.session->close();
}

}  // namespace alps::viewer

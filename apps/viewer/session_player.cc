// The thread of a session that plays its episode, and the way from there to the page that listens.
#include "viewer/session.h"

namespace alps::viewer {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::milliseconds(2000);  // with a page that does not read

}  // namespace

void Session::stop() {
  stop_ = true;
  if (const auto queue = this->queue()) queue->close();
}

void Session::close() {
  stop_ = true;
  const Lock lock = turn();
  stop();  // also whoever began to listen meanwhile
  playing_ = false;
  wake_.notify_all();
}

Session::Lock Session::turn() const {
  ++waiting_;
  Lock lock(mutex_);
  --waiting_;
  return lock;
}

std::shared_ptr<EventQueue> Session::listen() {
  const Lock lock = turn();
  auto next = std::make_shared<EventQueue>();
  if (stop_) next->close();
  {
    const std::lock_guard queue_lock(queue_mutex_);
    std::swap(queue_, next);
  }
  if (next) next->finish("event: taken\ndata: {}\n\n");
  tell(full(), "state");
  return queue();
}

std::shared_ptr<EventQueue> Session::queue() const {
  const std::lock_guard lock(queue_mutex_);
  return queue_;
}

bool Session::listened() const {
  const auto queue = this->queue();
  return queue && !queue->closed();
}

bool Session::tell(const Json& message, const char* kind) {
  const auto queue = this->queue();
  return queue && queue->push("event: " + std::string(kind) + "\ndata: " + message.dump() + "\n\n", kPatience);
}

// plays while it is asked to and somebody looks
void Session::run() {
  Lock lock(mutex_);
  auto due = Clock::now();
  while (!stop_) {
    if (!playing_) {
      wake_.wait(lock);
      due = Clock::now();
      continue;
    }
    try {
      advance();
    } catch (const std::exception& e) {
      playing_ = false;
      events_.push_back({runner_->record().steps, "failure", e.what(), {}});
      tell(full(), "state");
      continue;
    }
    const Json message = moment();
    due = std::max(due + std::chrono::microseconds(speed_ > 0 ? static_cast<int64_t>(1e6 / speed_) : 0),
                   Clock::now() - std::chrono::milliseconds(50));
    const auto listener = queue();
    lock.unlock();
    bool heard = tell(message, "moment");
    // a page that is slow is waited for, one that has gone is not
    while (!heard && !stop_ && listener && !listener->closed()) heard = tell(message, "moment");
    // a mutex alone would let the player take it again at once
    for (int i = 0; i < 1000 && waiting_ > 0; ++i) std::this_thread::sleep_for(std::chrono::microseconds(100));
    lock.lock();
    if (!heard && listener == queue()) playing_ = false;  // nobody looks
    // until it is time for the next one, or something was changed
    while (playing_ && !stop_ && Clock::now() < due) wake_.wait_until(lock, due);
  }
}

}  // namespace alps::viewer

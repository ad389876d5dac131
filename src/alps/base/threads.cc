#include "alps/base/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace alps {

namespace {

// One parallel_for: items are taken one by one by whoever is free.
struct Job {
  size_t n;
  const FunctionRef<void(size_t, int)> body;
  std::atomic<size_t> next = 0;
  std::atomic<int> helpers = 0;  // at work now
  std::exception_ptr failure;
  std::mutex failure_mutex;

  void work(int worker) {
    for (size_t i; (i = next.fetch_add(1)) < n;) {
      try {
        body(i, worker);
      } catch (...) {
        std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next = n;  // nobody starts another item
      }
    }
  }
};

// Threads that stay, so that a decision or a training step does not start its own. They look for work for a moment
// before they sleep, as the caller looks for their end: a wake-up takes as long as a small job. Help that nobody had
// time to give is withdrawn, so calls within calls and from several threads never wait for each other.
class Pool {
 public:
  void run(Job& job, int helpers) {
    {
      std::lock_guard lock(mutex_);
      while (static_cast<int>(threads_) < std::min(helpers, kMost)) {
        ++threads_;
        std::thread([this] { serve(); }).detach();  // they end with the process
      }
      for (int h = 1; h <= helpers; ++h) waiting_.push_back({&job, h});
      ++posted_;
    }
    wake_.notify_all();
    job.work(0);
    {
      std::lock_guard lock(mutex_);
      std::erase_if(waiting_, [&](const Ticket& t) { return t.job == &job; });
    }
    const auto idle = [&] { return job.helpers.load() == 0; };
    look_for(idle);
    std::unique_lock lock(mutex_);
    done_.wait(lock, idle);
  }

 private:
  struct Ticket {
    Job* job;
    int worker;
  };
  static constexpr int kMost = 1024;
  static constexpr std::chrono::microseconds kPatience{1000};

  // others who want this core get it
  static void look_for(const auto& event) {
    const auto start = std::chrono::steady_clock::now();
    while (!event() && std::chrono::steady_clock::now() - start < kPatience) sched_yield();
  }

  [[noreturn]] void serve() {
    for (uint64_t seen = 0;;) {
      look_for([&] { return posted_.load() != seen; });
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return !waiting_.empty(); });
      const Ticket ticket = waiting_.front();
      waiting_.erase(waiting_.begin());
      ++ticket.job->helpers;
      lock.unlock();
      ticket.job->work(ticket.worker);
      lock.lock();
      --ticket.job->helpers;  // from here on the job may be gone
      seen = posted_.load();
      lock.unlock();
      done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<Ticket> waiting_;
  std::atomic<uint64_t> posted_ = 0;
  size_t threads_ = 0;
};

}  // namespace

int default_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

int worker_count(size_t n, int threads) {
  return static_cast<int>(std::clamp<size_t>(n, 1, threads > 0 ? threads : default_threads()));
}

void parallel_for(size_t n, int threads, FunctionRef<void(size_t)> body) {
  parallel_for_worker(n, threads, [&](size_t i, int) { body(i); });
}

void parallel_for_worker(size_t n, int threads, FunctionRef<void(size_t, int)> body) {
  static Pool& pool = *new Pool;  // never destroyed: its threads may outlive main
  Job job{.n = n, .body = body};
  const int workers = worker_count(n, threads);
  if (workers > 1)
    pool.run(job, workers - 1);
  else
    job.work(0);
  if (job.failure) std::rethrow_exception(job.failure);
}

void parallel_blocks(size_t n, size_t block, int threads, FunctionRef<void(size_t, size_t)> body) {
  parallel_for((n + block - 1) / block, threads, [&](size_t i) { body(i * block, std::min(n, (i + 1) * block)); });
}

}  // namespace alps

#include "alps/base/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace alps {

int default_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

int worker_count(size_t n, int threads) {
  return static_cast<int>(std::clamp<size_t>(n, 1, threads > 0 ? threads : default_threads()));
}

void parallel_for(size_t n, int threads, const std::function<void(size_t)>& body) {
  parallel_for_worker(n, threads, [&](size_t i, int) { body(i); });
}

void parallel_for_worker(size_t n, int threads, const std::function<void(size_t, int)>& body) {
  const int workers = worker_count(n, threads);

  std::atomic<size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  auto work = [&](int worker) {
    for (size_t i; (i = next.fetch_add(1)) < n;) {
      try {
        body(i, worker);
      } catch (...) {
        std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next = n;  // nobody starts another item
      }
    }
  };

  // the calling thread works too
  {
    std::vector<std::jthread> pool;
    for (int worker = 1; worker < workers; ++worker) pool.emplace_back(work, worker);
    work(0);
  }
  if (failure) std::rethrow_exception(failure);
}

void parallel_blocks(size_t n, size_t block, int threads, const std::function<void(size_t, size_t)>& body) {
  parallel_for((n + block - 1) / block, threads, [&](size_t i) { body(i * block, std::min(n, (i + 1) * block)); });
}

}  // namespace alps

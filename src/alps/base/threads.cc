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

void parallel_for(size_t n, int threads, const std::function<void(size_t)>& body) {
  const size_t workers = std::min<size_t>(n, threads > 0 ? threads : default_threads());
  if (workers <= 1) {
    for (size_t i = 0; i < n; ++i) body(i);
    return;
  }

  std::atomic<size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < n;) {
      try {
        body(i);
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
    for (size_t i = 1; i < workers; ++i) pool.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

void parallel_blocks(size_t n, size_t block, int threads, const std::function<void(size_t, size_t)>& body) {
  parallel_for((n + block - 1) / block, threads,
               [&](size_t i) { body(i * block, std::min(n, (i + 1) * block)); });
}

}  // namespace alps

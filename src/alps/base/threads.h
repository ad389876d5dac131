// Work on several threads. `parallel_for` runs body(i) for every i in [0, n), each i once, in any order; a body that
// draws random numbers takes its own stream (`Rng::fork(i)`), so results do not depend on the number of threads.
#pragma once

#include <cstddef>

#include "alps/base/function_ref.h"

namespace alps {

int default_threads();  // the cores this process may use

// 0 threads means default_threads(). The first exception thrown by a body stops the rest and is thrown here.
void parallel_for(size_t n, int threads, FunctionRef<void(size_t)> body);

// the same, telling the body which of the workers 0 .. worker_count(n, threads) - 1 runs it, so that each can keep its
// own scratch (an environment, a buffer)
void parallel_for_worker(size_t n, int threads, FunctionRef<void(size_t i, int worker)> body);
int worker_count(size_t n, int threads);

// the same over blocks [first, last) of at most `block` items, for bodies too small to be called one by one
void parallel_blocks(size_t n, size_t block, int threads, FunctionRef<void(size_t first, size_t last)> body);

}  // namespace alps

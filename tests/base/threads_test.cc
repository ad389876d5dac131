#include "alps/base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace alps {
namespace {

TEST(ParallelFor, VisitsEachItemOnce) {
  for (const int threads : {0, 1, 2, 7})
    for (const size_t n : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> visits(n);
      parallel_for(n, threads, [&](size_t i) { ++visits.at(i); });
      for (const auto& count : visits) EXPECT_EQ(count, 1);
    }
}

TEST(ParallelFor, OneThreadIsTheCallersOwnAndInOrder) {
  const auto caller = std::this_thread::get_id();
  std::vector<size_t> seen;
  parallel_for(5, 1, [&](size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    seen.push_back(i);
  });
  EXPECT_EQ(seen, (std::vector<size_t>{0, 1, 2, 3, 4}));
}

// two items that wait for each other can only end on two threads
TEST(ParallelFor, RunsAtTheSameTime) {
  std::atomic<int> arrived = 0;
  parallel_for(2, 2, [&](size_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

TEST(ParallelFor, WithinItselfAndFromManyThreads) {
  std::atomic<int> visits = 0;
  {
    std::vector<std::jthread> callers;
    for (int c = 0; c < 4; ++c)
      callers.emplace_back([&] {
        for (int round = 0; round < 50; ++round)
          parallel_for(6, 3, [&](size_t) { parallel_for(5, 2, [&](size_t) { ++visits; }); });
      });
  }
  EXPECT_EQ(visits, 4 * 50 * 6 * 5);
}

TEST(ParallelFor, WorkersHaveNumbersOfTheirOwn) {
  std::vector<std::atomic<int>> busy(4);
  parallel_for_worker(2000, 4, [&](size_t, int worker) {
    EXPECT_EQ(busy.at(worker)++, 0);
    std::this_thread::yield();
    --busy.at(worker);
  });
}

TEST(ParallelFor, ThrowsWhatABodyThrowsAndStops) {
  for (const int threads : {1, 4}) {
    std::atomic<size_t> calls = 0;
    const auto work = [&] {
      parallel_for(1'000'000, threads, [&](size_t i) {
        ++calls;
        if (i == 10) throw std::runtime_error("item 10");
        // all the others together would take minutes
        if (i > 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    };
    try {
      work();
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "item 10");
    }
    EXPECT_LT(calls, 1'000'000u);
  }
}

TEST(ParallelFor, ManyExceptionsGiveOne) {
  EXPECT_THROW(parallel_for(100, 4, [](size_t) { throw std::runtime_error("all of them"); }), std::runtime_error);
}

TEST(ParallelBlocks, CoverTheRangeWithoutOverlap) {
  for (const size_t n : {0, 1, 9, 10, 11, 1000}) {
    std::vector<std::atomic<int>> visits(n);
    parallel_blocks(n, 10, 3, [&](size_t first, size_t last) {
      EXPECT_LT(first, last);
      EXPECT_LE(last - first, 10u);
      for (size_t i = first; i < last; ++i) ++visits.at(i);
    });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
  }
}

TEST(DefaultThreads, IsAtLeastOne) { EXPECT_GE(default_threads(), 1); }

}  // namespace
}  // namespace alps

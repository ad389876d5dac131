// soak_robot LIBRARY RUN WHAT COUNT [SETTING ...]: a planner in somebody else's process, by the C interface
// (alps/plan.h), opened by dlopen as a plugin is. WHAT is one of
//   decisions  COUNT decisions; every hundredth call is one that must be refused, and must not change the next decision
//   threads    COUNT decisions on each of eight threads with a planner each, beside the same ones on one thread
//   loads      the planner is loaded, asked once and freed, COUNT times
//   unloads    the library itself is opened, used on a thread that then ends, and closed, COUNT times
// Prints one JSON object: memory, threads and open files as they were after a tenth of the work and at its end, times
// of decisions, and what was wrong.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "alps/plan/c_interface.h"

namespace {

struct Library {
  explicit Library(const char* path) : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::exit(2);
    }
    load = symbol<decltype(load)>("alps_planner_load");
    free = symbol<decltype(free)>("alps_planner_free");
    clone = symbol<decltype(clone)>("alps_planner_clone");
    observation_size = symbol<decltype(observation_size)>("alps_planner_observation_size");
    action_size = symbol<decltype(action_size)>("alps_planner_action_size");
    reset = symbol<decltype(reset)>("alps_planner_reset");
    act = symbol<decltype(act)>("alps_planner_act");
    message = symbol<decltype(message)>("alps_planner_message");
  }
  void close() const { dlclose(handle); }

  template <typename Function>
  Function symbol(const char* name) const {
    void* found = dlsym(handle, name);
    if (found == nullptr) std::exit(2);
    return reinterpret_cast<Function>(found);
  }

  void* handle;
  decltype(&alps_planner_load) load;
  decltype(&alps_planner_free) free;
  decltype(&alps_planner_clone) clone;
  decltype(&alps_planner_observation_size) observation_size;
  decltype(&alps_planner_action_size) action_size;
  decltype(&alps_planner_reset) reset;
  decltype(&alps_planner_act) act;
  decltype(&alps_planner_message) message;
};

// a number of /proc/self/status: VmRSS in kilobytes, Threads
long status(const char* key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return std::atol(line.c_str() + std::string(key).size() + 1);
  return -1;
}

long open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

struct Held {
  long rss = status("VmRSS"), threads = status("Threads"), files = open_files();
  void print(const char* name) const {
    std::printf("\"%s\": {\"rss_kb\": %ld, \"threads\": %ld, \"files\": %ld}, ", name, rss, threads, files);
  }
};

int failures = 0;
void expect(bool right, const char* what) {
  if (right) return;
  if (++failures <= 10) std::fprintf(stderr, "wrong: %s\n", what);
}

// a planner and somebody who walks about in its world
class Robot {
 public:
  Robot(const Library& library, const char* run, const std::vector<const char*>& settings, uint64_t seed)
      : library_(library), random_(seed) {
    char message[500] = "";
    planner_ = library.load(run, nullptr, settings.data(), settings.size(), message, sizeof message);
    if (planner_ == nullptr) {
      std::fprintf(stderr, "%s\n", message);
      std::exit(2);
    }
    state_.assign(library.observation_size(planner_), 5.0f);
    action_.resize(library.action_size(planner_));
    begin();
  }
  ~Robot() { library_.free(planner_); }
  Robot(const Robot&) = delete;
  Robot& operator=(const Robot&) = delete;

  void begin() {
    std::vector<float> goal(state_.size());
    for (float& x : goal) x = 20 * uniform();
    expect(library_.reset(planner_, goal.data(), goal.size(), random_()) == ALPS_OK, "reset");
  }

  const std::vector<float>& step() {
    expect(library_.act(planner_, state_.data(), state_.size(), action_.data(), action_.size()) == ALPS_OK, "act");
    for (const float a : action_) expect(std::isfinite(a), "an action is not finite");
    // it goes where it was told, roughly, and is put elsewhere now and then
    for (size_t i = 0; i < state_.size(); ++i)
      state_[i] = std::clamp(state_[i] + 0.2f * action_[i % action_.size()] + 0.1f * (uniform() - 0.5f), 0.0f, 20.0f);
    if (++steps_ % 500 == 0) begin();
    return action_;
  }

  // calls that are wrong, one after the other
  void misuse(int which) {
    std::vector<float> bad = state_;
    const std::vector<float> before = action_;
    const auto refused = [&](size_t size, size_t room) {
      const int code = library_.act(planner_, bad.data(), size, action_.data(), room);
      expect(code != ALPS_OK && library_.message(planner_)[0] != '\0' && action_ == before,
             "wrong use was not refused");
    };
    switch (which % 7) {
      case 0: bad[0] = std::numeric_limits<float>::quiet_NaN(); return refused(bad.size(), action_.size());
      case 1: bad.back() = std::numeric_limits<float>::infinity(); return refused(bad.size(), action_.size());
      case 2: return refused(bad.size() - 1, action_.size());
      case 3: bad.push_back(0); return refused(bad.size(), action_.size());
      case 4: return refused(0, action_.size());
      case 5: return refused(bad.size(), action_.size() - 1);
      default:
        expect(library_.act(planner_, nullptr, state_.size(), action_.data(), action_.size()) != ALPS_OK,
               "no observation");
        expect(library_.reset(planner_, bad.data(), bad.size() - 1, 1) != ALPS_OK, "a goal of another size");
        bad[0] = std::numeric_limits<float>::quiet_NaN();
        expect(library_.reset(planner_, bad.data(), bad.size(), 1) != ALPS_OK, "a goal that is NaN");
    }
  }

 private:
  float uniform() { return std::uniform_real_distribution<float>(0, 1)(random_); }

  const Library& library_;
  std::mt19937_64 random_;
  alps_planner* planner_ = nullptr;
  std::vector<float> state_, action_;
  size_t steps_ = 0;
};

double quantile(std::vector<float> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void print_times(const char* name, const std::vector<float>& times) {
  std::printf("\"%s\": {\"p50_us\": %.1f, \"p99_us\": %.1f, \"most_us\": %.1f}, ", name, quantile(times, 0.5),
              quantile(times, 0.99), quantile(times, 1));
}

}  // namespace

int main(int count, char** words) {
  if (count < 5) return 2;
  const std::string what = words[3];
  const size_t times = std::strtoull(words[4], nullptr, 10);
  const std::vector<const char*> settings(words + 5, words + count);
  const Library library(words[1]);
  const auto robot = [&](uint64_t seed) { return std::make_unique<Robot>(library, words[2], settings, seed); };
  std::printf("{");
  Held early;
  if (what == "decisions") {
    const auto mine = robot(1), undisturbed = robot(1);
    std::vector<float> first, last;
    first.reserve(times / 10 + 1), last.reserve(times / 10 + 1);
    for (size_t i = 0; i < times; ++i) {
      if (i == times / 10) early = Held();
      if (i % 100 == 99) mine->misuse(static_cast<int>(i / 100));
      const auto start = std::chrono::steady_clock::now();
      const std::vector<float>& action = mine->step();
      const std::chrono::duration<float, std::micro> took = std::chrono::steady_clock::now() - start;
      if (i < times / 10) first.push_back(took.count());
      if (i >= times - times / 10) last.push_back(took.count());
      if (i < 20'000) expect(action == undisturbed->step(), "wrong use has changed a later decision");
    }
    print_times("first_tenth", first), print_times("last_tenth", last);
  } else if (what == "threads") {
    constexpr size_t kThreads = 8;
    std::vector<std::vector<float>> alone(kThreads), together(kThreads);
    const auto walk = [&](size_t k, std::vector<float>& into) {
      const auto mine = robot(k);
      for (size_t i = 0; i < times; ++i) {
        const std::vector<float>& action = mine->step();
        if (i % 10 == 0) into.insert(into.end(), action.begin(), action.end());
      }
    };
    std::vector<std::thread> threads;
    for (size_t k = 0; k < kThreads; ++k) threads.emplace_back(walk, k, std::ref(together[k]));
    for (std::thread& t : threads) t.join();
    for (size_t k = 0; k < kThreads; ++k) walk(k, alone[k]);
    expect(alone == together, "a planner decides otherwise beside others");
  } else if (what == "loads") {
    for (size_t i = 0; i < times; ++i) {
      if (i == times / 10) early = Held();
      robot(i)->step();
    }
  } else if (what == "unloads") {
    library.close();
    for (size_t i = 0; i < times; ++i) {
      if (i == times / 10) early = Held();
      const Library again(words[1]);
      // on a thread that ends, so that nothing of it holds the library; those that helped it stay
      std::thread([&] { Robot(again, words[2], settings, i).step(); }).join();
      again.close();
    }
  } else {
    return 2;
  }
  early.print("early");
  Held().print("late");
  std::printf("\"failures\": %d}\n", failures);
  return 0;
}

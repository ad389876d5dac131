// One seeded source of random numbers, passed explicitly. xoshiro256++ (Blackman and Vigna 2019), seeded by splitmix64.
// `fork(i)` gives the independent stream of item i (an episode, a batch), so that work shared among threads draws the
// same numbers whatever their number. The distributions are ours: the standard's differ between libraries.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

namespace alps {

class Rng {
 public:
  explicit Rng(uint64_t seed = 0) : seed_(seed) {
    for (auto& word : state_) word = splitmix(seed);
  }

  // the stream of item i: a function of this generator's seed and i, not of what was drawn so far
  Rng fork(uint64_t i) const {
    uint64_t mix = seed_ ^ (0x9e3779b97f4a7c15ull * (i + 1));
    return Rng(splitmix(mix));
  }

  uint64_t next() {
    const uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  // uniform over 0 .. n-1 (Lemire's multiply-shift; the bias of n / 2^64 is far below anything we can see)
  uint64_t below(uint64_t n) { return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64); }

  template <class T>
  const T& pick(std::span<const T> items) {
    return items[below(items.size())];
  }

  // standard normal, Box-Muller; both halves are used
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    const double angle = 2.0 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

  // what a checkpoint keeps: the words of the state, the seed and the spare normal
  struct State {
    std::array<uint64_t, 4> words;
    uint64_t seed;
    double spare;
    bool has_spare;
  };
  State state() const { return {state_, seed_, spare_, has_spare_}; }
  void set_state(const State& state) {
    state_ = state.words;
    seed_ = state.seed;
    spare_ = state.spare;
    has_spare_ = state.has_spare;
  }

 private:
  static uint64_t splitmix(uint64_t& x) {
    uint64_t z = (x += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  uint64_t seed_;
  std::array<uint64_t, 4> state_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace alps

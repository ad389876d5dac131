// The latest steps of a student: what it saw, and what its teacher would have done.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "alps/base/safetensors.h"

namespace alps {

class StepMemory {
 public:
  StepMemory(size_t most, size_t seen, size_t done) : most_(most), seen_(seen), done_(done) {}
  size_t size() const { return std::min<size_t>(count_, most_); }

  void add(std::span<const float> seen, std::span<const float> done) {
    const size_t at = count_++ % most_;
    if (values_.size() < (at + 1) * width()) values_.resize((at + 1) * width());
    std::ranges::copy(seen, &values_[at * width()]);
    std::ranges::copy(done, &values_[at * width() + seen_]);
  }
  std::span<const float> seen(size_t row) const { return std::span(values_).subspan(row * width(), seen_); }
  std::span<const float> done(size_t row) const { return std::span(values_).subspan(row * width() + seen_, done_); }

  void store(Tensors& tensors) const {
    tensors.arrays["memory"] = Array::of<float>({size(), width()}, values_);
    const int64_t count = static_cast<int64_t>(count_);
    tensors.arrays["memory.count"] = Array::of<int64_t>({1}, std::span(&count, 1));
  }
  void load(const Tensors& tensors) {
    count_ = static_cast<size_t>(tensors.at("memory.count", DType::kInt64, {1}).as<int64_t>()[0]);
    const auto kept = tensors.at("memory", DType::kFloat32, {size(), width()}).as<float>();
    values_.assign(kept.begin(), kept.end());
  }

 private:
  size_t width() const { return seen_ + done_; }
  size_t most_, seen_, done_, count_ = 0;
  std::vector<float> values_;
};

}  // namespace alps

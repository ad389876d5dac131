// Many humanoids at once, for who learns from them (teacher_training.h, student_training.h): in groups that act
// together and see nothing of the others, so that what they live through is the same for any number of threads.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "alps/base/safetensors.h"
#include "alps/world/heading_env.h"

namespace alps {

class HeadingBodies {
 public:
  explicit HeadingBodies(size_t count, std::shared_ptr<const GetUps> ways = {});

  size_t size() const { return bodies_.size(); }
  HeadingEnv& operator[](size_t body) { return *bodies_[body]; }
  const HeadingEnv& front() const { return *bodies_.front(); }

  size_t groups() const;
  // act(group, its first body, how many)
  void each_group(int threads, const std::function<void(size_t group, size_t first, size_t count)>& act);

  void store(Tensors& tensors) const;
  void load(const Tensors& tensors);

 private:
  std::vector<std::unique_ptr<HeadingEnv>> bodies_;
};

}  // namespace alps

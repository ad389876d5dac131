// How long a part trains, and with which learning rate. `constant` and `cosine` take a fixed number of steps. `settle`
// takes as many as pay: the rate stays constant while the loss on held-out data falls, then declines along a cosine for
// half as many steps as were done. Whether it still falls is asked at steps that grow by a factor of the square root of
// two: a doubling of the steps must have brought at least a share, `pays`, of all that training has brought, by the
// last two answers. Only steps and losses decide, so a seed gives the same run on every machine; `settle_now` is for
// those who set a time, and cuts any schedule short.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>

namespace alps {

struct Schedule {
  int64_t steps = 0;  // settle: at most
  double lr = 0;
  std::string kind = "cosine";  // constant, cosine, settle
  double pays = 0.01;           // settle: share of all that training has brought
};

class Course {
 public:
  explicit Course(const Schedule& schedule);

  int64_t steps() const;  // of the part; while it has not settled, the most that there can be
  double lr(int64_t step) const;

  bool asks(int64_t step) const;  // it wants the loss on held-out data after `step` steps
  void answer(int64_t step, double loss);
  void settle_now(int64_t step);  // the decline begins, unless it has or a third of the steps is left at most

  const at::Tensor& state() const { return state_; }  // for checkpoints

 private:
  double& at(int64_t place) const { return state_.data_ptr<double>()[place]; }
  bool settled() const { return at(0) > 0; }

  Schedule schedule_;
  at::Tensor state_;  // steps after which the decline began, then the losses so far: untrained, and at each question
};

}  // namespace alps

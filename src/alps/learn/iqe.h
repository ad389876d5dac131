// Interval quasimetric embeddings (Wang and Isola 2022): a distance from x to y that obeys the triangle inequality but
// need not be the same both ways. The numbers of x and y are taken in groups; each group gives the length of the union
// of its intervals [x_i, y_i], those with x_i < y_i. One kernel computes the lengths and their gradients (the union's
// ends); the groups are then joined as  alpha mean + (1 - alpha) max.
#pragma once

#include <ATen/ATen.h>

namespace alps {

// x, y (n, groups * group) -> lengths (n, groups)
at::Tensor interval_unions(const at::Tensor& x, const at::Tensor& y, int64_t group);

// alpha (1), in (0, 1) -> (n)
at::Tensor iqe_distance(const at::Tensor& x, const at::Tensor& y, int64_t group, const at::Tensor& alpha);

}  // namespace alps

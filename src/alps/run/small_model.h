// A model that is fitted in no time: ridge regression on the inputs and on random tanh features of them. It tells how
// much of some numbers others tell, before any network is trained (run/one_step.h, run/detail_need.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace alps {

struct Table {
  size_t columns = 0;
  std::vector<double> values;  // (rows, columns)
  size_t rows() const { return columns ? values.size() / columns : 0; }
  std::span<double> row(size_t i) { return std::span(values).subspan(i * columns, columns); }
  std::span<const double> row(size_t i) const { return std::span(values).subspan(i * columns, columns); }
};

// zero mean and unit deviation, as the first table has them; columns without change become 0
void normalize(Table& first, Table& second);

// Of each column of the target the share of its variance, 0 .. 1, that the inputs do not explain on the judged rows;
// `features`: random ones. The same tables give the same shares.
std::vector<double> unexplained(Table train, Table judge, const Table& target, const Table& truth, size_t features);

}  // namespace alps

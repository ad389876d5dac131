// Statistics of success rates.
#pragma once

#include <cstddef>

namespace alps {

struct Interval {
  double low = 0, high = 1;
};

// Wilson's score interval for a proportion (Wilson 1927); z = 1.96 covers 95 %
Interval wilson(size_t successes, size_t trials, double z = 1.959963984540054);

}  // namespace alps

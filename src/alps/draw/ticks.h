// Round numbers along an axis: multiples of 1, 2 or 5 times a power of ten, with labels of just enough digits.
#pragma once

#include <string>
#include <vector>

namespace alps {

struct Tick {
  double value;
  std::string label;  // "0.25", "−4" (with a real minus sign), "1e+06"
};

// as many as fit, at most `most`, inside [low, high]; both ends may carry one
std::vector<Tick> axis_ticks(double low, double high, int most);

}  // namespace alps

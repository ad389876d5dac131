// One axis of a chart or a colour bar: an interval of values, linear or logarithmic, and the numbers along it.
#pragma once

#include <limits>
#include <vector>

#include "alps/draw/ticks.h"

namespace alps {

struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;

  double share(double value) const;  // 0 at low, 1 at high; not-a-number for values that a logarithm does not take
  double value(double share) const;  // its inverse
  std::vector<Tick> ticks(int most) const;  // at most `most` labels; minor ticks of a logarithm have empty labels
};

// Gathers the range of values, skipping those that are not finite, or not positive on a logarithmic axis.
class AxisRange {
 public:
  explicit AxisRange(bool logarithmic = false) : logarithmic_(logarithmic) {}
  void add(double value);
  bool empty() const { return low_ > high_; }
  Axis axis(double air = 0) const;  // `air`: what to add at both ends, as a share; never of no length

 private:
  bool logarithmic_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -std::numeric_limits<double>::infinity();
};

}  // namespace alps

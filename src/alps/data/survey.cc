#include "alps/data/survey.h"

#include <algorithm>
#include <cmath>

namespace alps {

std::vector<float> action_limits(const Dataset& data) {
  std::vector<float> limits(data.action_size(), 0.0f);
  for (size_t row = 0; row < data.rows(); ++row) {
    const auto action = data.actions.row<float>(row);
    for (size_t k = 0; k < limits.size(); ++k) limits[k] = std::max(limits[k], std::abs(action[k]));
  }
  for (float& limit : limits)
    if (!(limit > 0)) limit = 1;
  return limits;
}

}  // namespace alps

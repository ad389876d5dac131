// Ways up for tests (world/get_ups.h) that lead nowhere: three steps on the belly or on the back.
#pragma once

#include <cmath>
#include <memory>

#include "alps/world/get_ups.h"

namespace alps {

// ways of three steps that hold the posture of lying, from the belly at 0.2 m and from the back at 0.3 m, and nothing
// that a body could stand up with
inline std::shared_ptr<GetUps> flat_ways(const ModelPtr& model) {
  auto ways = std::make_shared<GetUps>();
  const DataPtr data = make_data(model);
  const std::vector<float> targets = lying_targets(*model);
  for (const size_t way : {0, 1}) {
    mj_resetData(model.get(), data.get());
    double* q = data->qpos + 3;
    q[0] = std::sqrt(0.5), q[1] = q[3] = 0, q[2] = way == 0 ? q[0] : -q[0];
    data->qpos[2] = way == 0 ? 0.2 : 0.3;
    for (size_t j = 0; j < targets.size(); ++j) data->qpos[7 + j] = model->qpos0[7 + j] + targets[j];
    GetUp& up = ways->ways[way];
    for (up.steps = 0; up.steps < 3; ++up.steps) {
      up.states.insert(up.states.end(), data->qpos, data->qpos + model->nq);
      up.states.insert(up.states.end(), data->qvel, data->qvel + model->nv);
      for (const float target : targets) up.targets.push_back(target + 0.1f * static_cast<float>(up.steps));
    }
    ways->lying.insert(ways->lying.end(), up.state(0).begin(), up.state(0).end());
  }
  return ways;
}

}  // namespace alps

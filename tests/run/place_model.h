// A model whose psi is a factor times the place, for tests of what is made of psi.
#pragma once

#include <vector>

#include "alps/nn/model.h"

namespace alps {

inline Model place_model(std::vector<float> weight) {
  Model model;
  model.mean = {0, 0};
  model.deviation = {1, 1};
  model.representation = Mlp({Linear(2, 2, std::move(weight), {0, 0})});
  model.eigenvalues = {1, 1};
  return model;
}

}  // namespace alps

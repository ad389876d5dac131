#include "alps/show/places.h"

#include "alps/graph/kmeans.h"

namespace alps {

std::vector<Point2> places_of(const Model& model, const StateSample& sample, std::span<const float> states) {
  ALPS_CHECK(!sample.places.empty() && (sample.place_columns || sample.embedded()));
  const size_t s = model.state_size(), n = states.size() / s;
  std::vector<Point2> places;
  places.reserve(n);
  if (const auto& columns = sample.place_columns) {
    const auto column = [&](size_t row, size_t k) { return model.mean[k] + model.deviation[k] * states[row * s + k]; };
    for (size_t i = 0; i < n; ++i) places.push_back({column(i, (*columns)[0]), column(i, (*columns)[1])});
    return places;
  }
  std::vector<float> psi(n * model.eigenvectors());
  std::vector<int32_t> nearest(n);
  model.psi(states, psi);
  nearest_centers(psi, model.eigenvectors(), sample.psi.as<float>(), nearest);
  for (const int32_t i : nearest) places.push_back(sample.places[i]);
  return places;
}

}  // namespace alps

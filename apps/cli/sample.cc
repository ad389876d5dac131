#include "cli/sample.h"

#include <algorithm>

#include "alps/collect/recipe.h"
#include "alps/data/dataset.h"
#include "alps/graph/kmeans.h"

namespace alps::cli {

Dataset load_for_sample(const Run& run) {
  return load_dataset(run.config.data_path, {.observations = run.model->trunk.empty()});
}

Sample sample_states(const Run& run, const Dataset& data, size_t most) {
  Sample sample;
  const size_t n = std::min(most, data.rows());
  for (size_t i = 0; i < n; ++i) sample.rows.push_back(i * data.rows() / n);
  sample.psi = embed_rows(*run.model, data, sample.rows);
  sample.labels.resize(n);
  nearest_centers(std::as_const(sample.psi).as<float>(), sample.psi.row_size(), run.graph->centers, sample.labels);

  // a plane to draw them on: the position where there is one, else what the map itself says
  const auto flat = [](const Array& a) { return a.dtype() == DType::kFloat32 && a.size() > 0 && a.row_size() >= 2; };
  const bool known = find_recipe(run.config.data_name) != nullptr;
  const Array* where = nullptr;
  if (known) {
    where = flat(data.observations) ? &data.observations : &data.qpos;
    sample.plane = "position";
  } else if (flat(data.qpos)) {
    where = &data.qpos;
    sample.plane = "columns 1 and 2 of qpos";
  } else if (flat(data.observations)) {
    where = &data.observations;
    sample.plane = "columns 1 and 2 of the observation";
  }
  if (where != nullptr && !flat(*where)) where = nullptr;
  if (where == nullptr) sample.plane = "columns 1 and 2 of psi";
  for (size_t i = 0; i < n; ++i) {
    const auto row = where != nullptr ? where->row<float>(sample.rows[i]) : std::as_const(sample.psi).row<float>(i);
    sample.places.push_back({row[0], row.size() > 1 ? row[1] : 0.0});
  }
  return sample;
}

}  // namespace alps::cli

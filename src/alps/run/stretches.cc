#include "alps/run/stretches.h"

#include "alps/data/check.h"

namespace alps {

std::vector<size_t> starts_with(const Dataset& data, size_t ahead, size_t most) {
  std::vector<Episode> enough;
  for (const Episode& e : data.episodes)
    if (e.last >= e.first + ahead) enough.push_back({e.first, e.last - ahead + 1});
  return even_steps(enough, most);
}

std::vector<size_t> later(std::span<const size_t> rows, size_t steps) {
  std::vector<size_t> result(rows.begin(), rows.end());
  for (size_t& row : result) row += steps;
  return result;
}

std::vector<float> states_of(const Model& model, const Dataset& data, std::span<const size_t> rows, int threads) {
  std::vector<float> states(rows.size() * model.state_size());
  const Array seen = data.observations.chosen(rows);
  if (data.image())
    model.observe(seen.as<uint8_t>(), states, threads);
  else
    model.observe(seen.as<float>(), states, threads);
  return states;
}

std::vector<float> actions_of(const Model& model, const Dataset& data, std::span<const size_t> rows, size_t offset) {
  std::vector<float> actions;
  for (const size_t row : rows) {
    const auto action = data.actions.row<float>(row + offset);
    for (size_t k = 0; k < action.size(); ++k) actions.push_back(model.actions.to_unit(k, action[k]));
  }
  return actions;
}

}  // namespace alps

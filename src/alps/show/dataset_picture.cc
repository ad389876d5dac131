#include "alps/show/dataset_picture.h"

#include <algorithm>
#include <utility>

#include "alps/collect/recipe.h"
#include "alps/data/jumps.h"
#include "alps/draw/floorplan.h"
#include "alps/world/catalog.h"
#include "alps/world/planar_view.h"

namespace alps {
namespace {

constexpr size_t kTrajectories = 20;
constexpr size_t kLongest = 2000;  // rows of an episode that are drawn; a walk of 500,000 would be a black square

// walls of the environment that the file is named after; without one, none
Floorplan floorplan_of(const std::string& name) {
  const Recipe* known = find_recipe(name);
  const CatalogEntry* entry = known != nullptr ? find_env(known->env) : nullptr;
  if (entry != nullptr && entry->available)
    if (const auto env = make_env(entry->name); env->planar() != nullptr) return env->planar()->floorplan();
  return {};
}

}  // namespace

void draw_dataset(const std::filesystem::path& dataset, const std::filesystem::path& picture) {
  // qpos where there is one, else the first two numbers that are seen
  Dataset data = load_dataset(dataset, {.observations = false});
  const bool seen = data.qpos.size() == 0 && !data.image();
  if (seen) data = load_dataset(dataset, {.state = false});
  if (!seen && data.qpos.size() == 0)
    throw Error(dataset.string(), " has no positions to draw: neither qpos nor observations with two columns");
  if ((seen ? data.observations.row_size() : data.qpos.row_size()) < 2)
    throw Error(dataset.string(), " has no positions to draw: ", seen ? "observations" : "qpos", " have one column");
  std::vector<float> buffer;
  const auto place = [&](size_t row) -> Point2 {
    const auto at = seen ? data.observations.floats(row, buffer) : std::as_const(data.qpos).row<float>(row);
    return {at[0], at[1]};
  };

  // episodes spread evenly over the file
  std::vector<std::vector<Point2>> trajectories;
  const size_t count = std::min(kTrajectories, data.episodes.size());
  for (size_t k = 0; k < count; ++k) {
    const Episode& e = data.episodes[k * data.episodes.size() / count];
    auto& points = trajectories.emplace_back();
    for (size_t row = e.first; row <= e.last && points.size() < kLongest; ++row) points.push_back(place(row));
  }
  std::string name = dataset.stem().string();
  if (name.ends_with("-val")) name.resize(name.size() - 4);
  Floorplan floorplan = floorplan_of(name);
  floorplan.leap = leap_limit(place, data.episodes);
  draw_trajectories(picture, floorplan, trajectories, dataset.stem().string(), {.episodes = data.episodes.size()});
}

}  // namespace alps

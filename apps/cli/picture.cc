#include "cli/picture.h"

#include <algorithm>

#include "alps/collect/recipe.h"
#include "alps/data/dataset.h"
#include "alps/draw/floorplan.h"
#include "alps/world/catalog.h"
#include "alps/world/planar_view.h"

namespace alps::cli {
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
  const Dataset data = load_dataset(dataset, {.observations = false});
  Dataset full;
  const Array* places = &data.qpos;
  if (places->size() == 0 && !data.image()) {
    full = load_dataset(dataset, {.state = false});
    places = &full.observations;
  }
  if (places->size() == 0 || places->row_size() < 2)
    throw Error(dataset.string(), " has no positions to draw: neither qpos nor observations with two columns");

  // episodes spread evenly over the file
  std::vector<std::vector<Point2>> trajectories;
  const size_t count = std::min(kTrajectories, data.episodes.size());
  for (size_t k = 0; k < count; ++k) {
    const Episode& e = data.episodes[k * data.episodes.size() / count];
    auto& points = trajectories.emplace_back();
    for (size_t row = e.first; row <= e.last && points.size() < kLongest; ++row) {
      const auto place = places->row<float>(row);
      points.push_back({place[0], place[1]});
    }
  }
  std::string name = dataset.stem().string();
  if (name.ends_with("-val")) name.resize(name.size() - 4);
  draw_trajectories(picture, floorplan_of(name), trajectories, dataset.stem().string(),
                    {.episodes = data.episodes.size()});
}

}  // namespace alps::cli

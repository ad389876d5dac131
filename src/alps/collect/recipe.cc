#include "alps/collect/recipe.h"

#include "alps/base/error.h"
#include "alps/base/names.h"

namespace alps {
namespace {

using enum Behaviour;

struct Row {
  const char* world;  // the environment without "-v0"
  Behaviour behaviour;
  int episodes, length;
  double noise;
  const char* expert;
  const char* walked_in = "";
};

// World, behaviour, episodes, length, noise, expert, the world of the walk without images. A random
// walk is one long episode, and a tenth of it for validation.
constexpr Row kRows[] = {
    {"pointmaze-medium", kNavigate, 1000, 1000, 0.5, "point"},
    {"pointmaze-large", kNavigate, 1000, 1000, 0.5, "point"},
    {"pointmaze-giant", kNavigate, 500, 2000, 0.5, "point"},
    {"pointmaze-teleport", kNavigate, 1000, 1000, 0.5, "point"},
    {"pointmaze-medium", kStitch, 5000, 200, 0.5, "point"},
    {"pointmaze-large", kStitch, 5000, 200, 0.5, "point"},
    {"pointmaze-giant", kStitch, 5000, 200, 0.5, "point"},
    {"pointmaze-teleport", kStitch, 5000, 200, 0.5, "point"},
    {"antmaze-medium", kNavigate, 1000, 1000, 0.2, "ant"},
    {"antmaze-large", kNavigate, 1000, 1000, 0.2, "ant"},
    {"antmaze-giant", kNavigate, 500, 2000, 0.2, "ant"},
    {"antmaze-teleport", kNavigate, 1000, 1000, 0.2, "ant"},
    {"antmaze-medium", kStitch, 5000, 200, 0.2, "ant"},
    {"antmaze-large", kStitch, 5000, 200, 0.2, "ant"},
    {"antmaze-giant", kStitch, 5000, 200, 0.2, "ant"},
    {"antmaze-teleport", kStitch, 5000, 200, 0.2, "ant"},
    {"antmaze-medium", kExplore, 10000, 500, 1.0, "ant"},
    {"antmaze-large", kExplore, 10000, 500, 1.0, "ant"},
    {"antmaze-teleport", kExplore, 10000, 500, 1.0, "ant"},
    {"humanoidmaze-medium", kNavigate, 1000, 2000, 0.2, "humanoid"},
    {"humanoidmaze-large", kNavigate, 1000, 2000, 0.2, "humanoid"},
    {"humanoidmaze-giant", kNavigate, 1000, 4000, 0.2, "humanoid"},
    {"humanoidmaze-medium", kStitch, 5000, 400, 0.2, "humanoid"},
    {"humanoidmaze-large", kStitch, 5000, 400, 0.2, "humanoid"},
    {"humanoidmaze-giant", kStitch, 10000, 400, 0.2, "humanoid"},
    {"visual-antmaze-medium", kNavigate, 1000, 1000, 0.2, "ant", "antmaze-medium-v0"},
    {"visual-antmaze-large", kNavigate, 1000, 1000, 0.2, "ant", "antmaze-large-v0"},
    {"visual-antmaze-giant", kNavigate, 500, 2000, 0.2, "ant", "antmaze-giant-v0"},
    {"visual-antmaze-teleport", kNavigate, 1000, 1000, 0.2, "ant", "antmaze-teleport-v0"},
    {"visual-antmaze-medium", kStitch, 5000, 200, 0.2, "ant", "antmaze-medium-v0"},
    {"visual-antmaze-large", kStitch, 5000, 200, 0.2, "ant", "antmaze-large-v0"},
    {"visual-antmaze-giant", kStitch, 5000, 200, 0.2, "ant", "antmaze-giant-v0"},
    {"visual-antmaze-teleport", kStitch, 5000, 200, 0.2, "ant", "antmaze-teleport-v0"},
    {"visual-antmaze-medium", kExplore, 10000, 500, 1.0, "ant", "antmaze-medium-v0"},
    {"visual-antmaze-large", kExplore, 10000, 500, 1.0, "ant", "antmaze-large-v0"},
    {"visual-antmaze-teleport", kExplore, 10000, 500, 1.0, "ant", "antmaze-teleport-v0"},
    {"maze2d-hallway", kRandom, 1, 500000, 0.0, ""},
    {"maze2d-rooms", kRandom, 1, 500000, 0.0, ""},
    {"maze2d-spiral", kRandom, 1, 500000, 0.0, ""},
    {"visual-maze2d-hallway", kRandom, 1, 500000, 0.0, "", "maze2d-hallway-v0"},
    {"visual-maze2d-rooms", kRandom, 1, 500000, 0.0, "", "maze2d-rooms-v0"},
    {"visual-maze2d-spiral", kRandom, 1, 500000, 0.0, "", "maze2d-spiral-v0"},
    {"cube-single", kPlay, 1000, 1000, 0.1, ""},
    {"cube-double", kPlay, 1000, 1000, 0.1, ""},
    {"cube-triple", kPlay, 3000, 1000, 0.1, ""},
    {"cube-quadruple", kPlay, 5000, 1000, 0.1, ""},
    {"scene", kPlay, 1000, 1000, 0.1, ""},
    {"puzzle-3x3", kPlay, 1000, 1000, 0.1, ""},
    {"puzzle-4x4", kPlay, 1000, 1000, 0.1, ""},
};

std::string word(Behaviour behaviour) {
  switch (behaviour) {
    case kNavigate: return "navigate";
    case kStitch: return "stitch";
    case kExplore: return "explore";
    case kRandom: return "random";
    case kPlay: return "play";
  }
  return {};
}

std::vector<Recipe> make_recipes() {
  std::vector<Recipe> list;
  for (const Row& row : kRows)
    list.push_back({.name = str(row.world, "-", word(row.behaviour), "-v0"),
                    .env = str(row.world, "-v0"),
                    .behaviour = row.behaviour,
                    .episodes = row.episodes,
                    .length = row.length,
                    .noise = row.noise,
                    .expert = row.expert,
                    .walked_in = row.walked_in});
  return list;
}

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> list = make_recipes();
  return list;
}

const Recipe* find_recipe(std::string_view name) {
  for (const Recipe& r : recipes())
    if (r.name == name) return &r;
  return nullptr;
}

const Recipe& recipe(std::string_view name) {
  if (const Recipe* found = find_recipe(name)) return *found;
  std::vector<std::string> names;
  for (const Recipe& r : recipes()) names.push_back(r.name);
  throw UsageError("no data set '", name, "'", nearest_hint(name, names), "; see alps data list");
}

std::string training_maze() { return "antmaze-medium-v0"; }

PaperRow paper_row(const Recipe* recipe) {
  if (recipe == nullptr) return {};
  const auto has = [&](const char* word) { return recipe->env.find(word) != std::string::npos; };
  if (has("maze2d")) return {.gamma = 0.2, .model_horizon = 3, .horizon = 2, .clusters = 16};
  if (recipe->behaviour == Behaviour::kPlay) return {.gamma = 0.2, .clusters = 8};
  return {.clusters = has("giant") ? 128 : has("large") || has("teleport") ? 96 : 64};
}

}  // namespace alps

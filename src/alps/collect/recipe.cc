#include "alps/collect/recipe.h"

#include "alps/base/error.h"
#include "alps/base/names.h"

namespace alps {
namespace {

struct Lengths {
  int episodes, length;
};

// episodes and lengths by agent, maze and behaviour
Lengths lengths(const std::string& agent, const std::string& maze, Behaviour behaviour) {
  const bool humanoid = agent == "humanoidmaze", giant = maze == "giant";
  if (behaviour == Behaviour::kExplore) return {10000, 500};
  if (behaviour == Behaviour::kStitch) return humanoid ? Lengths{giant ? 10000 : 5000, 400} : Lengths{5000, 200};
  if (humanoid) return {1000, giant ? 4000 : 2000};
  return giant ? Lengths{500, 2000} : Lengths{1000, 1000};
}

std::vector<Recipe> make_recipes() {
  std::vector<Recipe> list;
  struct Agent {
    std::string name;
    double noise;
    std::string missing;
  };
  const Agent agents[] = {{"pointmaze", 0.5, ""},
                          {"antmaze", 0.2, ""},
                          {"humanoidmaze", 0.2, "the humanoid expert's weights"},
                          {"visual-antmaze", 0.2, "rendering"}};
  const std::pair<Behaviour, std::string> behaviours[] = {
      {Behaviour::kNavigate, "navigate"}, {Behaviour::kStitch, "stitch"}, {Behaviour::kExplore, "explore"}};
  for (const Agent& agent : agents) {
    for (const auto& [behaviour, word] : behaviours) {
      const bool ant = agent.name.ends_with("antmaze"), explore = behaviour == Behaviour::kExplore;
      if (explore && !ant) continue;
      for (const std::string maze : {"medium", "large", "giant", "teleport"}) {
        if (explore && maze == "giant") continue;
        if (agent.name == "humanoidmaze" && maze == "teleport") continue;
        const Lengths l = lengths(agent.name, maze, behaviour);
        list.push_back({agent.name + "-" + maze + "-" + word + "-v0", agent.name + "-" + maze + "-v0", behaviour,
                        l.episodes, l.length, explore ? 1.0 : agent.noise, agent.missing});
      }
    }
  }

  // one long walk, and a tenth of it for validation
  for (const std::string prefix : {"", "visual-"})
    for (const std::string layout : {"hallway", "rooms", "spiral"})
      list.push_back({prefix + "maze2d-" + layout + "-random-v0", prefix + "maze2d-" + layout + "-v0",
                      Behaviour::kRandom, 1, 500000, 0.0, ""});
  for (const std::string scene : {"cube-single", "cube-double", "scene"})
    list.push_back(
        {scene + "-play-v0", scene + "-v0", Behaviour::kPlay, 1000, 1000, 0.0, "the robot arm's environments"});
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

PaperRow paper_row(const Recipe* recipe) {
  if (recipe == nullptr) return {};
  const auto has = [&](const char* word) { return recipe->env.find(word) != std::string::npos; };
  if (has("maze2d")) return {.gamma = 0.2, .model_horizon = 3, .horizon = 2, .clusters = 16};
  if (recipe->behaviour == Behaviour::kPlay) return {.gamma = 0.2, .clusters = 8};
  return {.clusters = has("giant") ? 128 : has("large") || has("teleport") ? 96 : 64};
}

}  // namespace alps

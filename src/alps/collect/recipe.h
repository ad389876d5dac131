// The data sets of OGBench and of PcLast's Maze2D, by name: in which environment, how many episodes, how long, by which
// behaviour. The one table behind `alps data list` and `alps data make` (the paper's tab:datasets). A new data set is a
// row in recipe.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alps {

enum class Behaviour {
  kNavigate,  // to random vertex cells, one after the other
  kStitch,    // to a cell four steps away, and stay there
  kExplore,   // along a random direction, drawn anew every ten steps
  kRandom,    // uniform random actions (Maze2D)
  kPlay,      // scripted manipulation
};

// What the paper's tables have for a data set beyond what they have for all of them (tab:hyperparameters): used by
// preset `paper` and by nothing else. The values here are for data that are not in the paper.
struct PaperRow {
  double gamma = 0.6;      // gamma_s of the pairs
  int model_horizon = 10;  // H_f
  int horizon = 20;        // H of the planner
  int clusters = 64;       // C
};

struct Recipe {
  std::string name;  // "pointmaze-large-stitch-v0"
  std::string env;   // "pointmaze-large-v0"
  Behaviour behaviour;
  int episodes;           // of training; a tenth of it for validation
  int length;             // transitions of an episode, stored as length + 1 rows
  double noise;           // deviation of the Gaussian noise on the expert's actions
  std::string expert;     // the body whose expert acts (expert.h); empty: none does
  std::string walked_in;  // where images follow from numbers (image_view.h): the same world in numbers; else empty
  size_t rows() const { return static_cast<size_t>(episodes) * (length + 1); }
};

const std::vector<Recipe>& recipes();
const Recipe& recipe(std::string_view name);       // throws UsageError with the nearest name
const Recipe* find_recipe(std::string_view name);  // or nullptr
std::string training_maze();                       // the environment in which the ant's expert meets walls
PaperRow paper_row(const Recipe* recipe);          // of a data set; of none: for other data

}  // namespace alps

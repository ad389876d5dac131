#include "alps/world/catalog.h"

#include <functional>

#include "alps/base/error.h"
#include "alps/base/names.h"
#include "alps/world/arm_env.h"
#include "alps/world/maze2d.h"
#include "alps/world/maze_env.h"
#include "alps/world/visual_maze_env.h"

namespace alps {
namespace {

struct Row {
  CatalogEntry entry;
  std::function<std::unique_ptr<Env>(EnvOptions)> make;  // empty: to come
};

std::string maze2d_name(std::string_view layout, bool image) {
  return str(image ? "visual-" : "", "maze2d-", layout, "-v0");
}

std::vector<Row> make_rows() {
  std::vector<Row> rows;
  for (const Body* body : {&point_body(), &ant_body(), &humanoid_body()}) {
    for (const std::string maze : {"medium", "large", "giant", "teleport"}) {
      const std::string name = str(body->name, "maze-", maze, "-v0");
      const int length = body != &humanoid_body() ? 1000 : maze == "giant" ? 4000 : 2000;
      rows.push_back({{name, str(body->summary, ", ", maze, " maze")}, [=](EnvOptions options) {
                        return std::make_unique<MazeEnv>(name, *body, Maze::named(maze), length, options);
                      }});
    }
  }
  for (const bool image : {false, true}) {
    for (const std::string layout : {"hallway", "rooms", "spiral"}) {
      const std::string name = maze2d_name(layout, image);
      rows.push_back({{name, str("point in the unit square, ", layout, image ? ", seen as an image" : ""), true, false},
                      [=](EnvOptions options) { return make_maze2d(layout, image, options); }});
    }
  }
  for (const std::string maze : {"medium", "large", "giant", "teleport"}) {
    const std::string name = str("visual-antmaze-", maze, "-v0");
    rows.push_back({{name, str("ant seen by a camera, ", maze, " maze")}, [=](EnvOptions options) {
                      return std::make_unique<VisualMazeEnv>(name, ant_body(), Maze::named(maze), 1000, options);
                    }});
  }
  const auto add_arm = [&](const std::string& name, const std::string& objects, const ArmWorld& world) {
    rows.push_back({{name, "robot arm and " + objects},
                    [=, &world](EnvOptions options) { return std::make_unique<ArmEnv>(name, world, options); }});
  };
  add_arm("cube-single-v0", "a cube", cubes_world(1));
  add_arm("cube-double-v0", "two cubes", cubes_world(2));
  add_arm("cube-triple-v0", "three cubes", cubes_world(3));
  add_arm("cube-quadruple-v0", "four cubes", cubes_world(4));
  add_arm("scene-v0", "cube, drawer, window, two buttons that lock them", furniture_world());
  add_arm("puzzle-3x3-v0", "3x3 buttons, each of which turns its neighbours too", lights_out_world(3));
  add_arm("puzzle-4x4-v0", "4x4 buttons, each of which turns its neighbours too", lights_out_world(4));
  return rows;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> table = make_rows();
  return table;
}

}  // namespace

const std::vector<CatalogEntry>& env_catalog() {
  static const std::vector<CatalogEntry> entries = [] {
    std::vector<CatalogEntry> list;
    for (const Row& row : rows()) list.push_back(row.entry);
    return list;
  }();
  return entries;
}

const CatalogEntry* find_env(std::string_view name) {
  for (const CatalogEntry& entry : env_catalog())
    if (entry.name == name) return &entry;
  return nullptr;
}

std::unique_ptr<Env> make_maze2d(std::string_view layout, bool image, EnvOptions options) {
  return std::make_unique<Maze2d>(maze2d_name(layout, image), layout, image, options);
}

std::unique_ptr<Env> make_env(std::string_view name, EnvOptions options) {
  for (const Row& row : rows()) {
    if (row.entry.name != name) continue;
    if (!row.make) throw UsageError("environment ", name, " is in the catalogue but not built yet; see alps env list");
    return row.make(options);
  }
  std::vector<std::string> names;
  for (const Row& row : rows()) names.push_back(row.entry.name);
  throw UsageError("no environment '", name, "'", nearest_hint(name, names), "; see alps env list");
}

}  // namespace alps

#include "alps/world/sim.h"

#include <cstdio>
#include <cstdlib>

#include "alps/base/error.h"
#include "alps/base/own_folder.h"
#include "alps/world/model_spec.h"
#include "alps/world/version.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

// a geom of the world body that takes the main default class, as an element appended to the XML would
mjsGeom* add_geom(mjSpec* spec, const std::string& name, mjtGeom type, Point2 at, double z) {
  mjsGeom* geom = mjs_addGeom(mjs_findBody(spec, "world"), mjs_getSpecDefault(spec));
  mjs_setName(geom->element, name.c_str());
  geom->type = type;
  geom->pos[0] = at.x;
  geom->pos[1] = at.y;
  geom->pos[2] = z;
  return geom;
}

void set_material(mjSpec* spec, mjsGeom* geom, const char* material) {
  // the humanoid's file has no teleport materials; what a disc looks like does not matter to the dynamics
  const bool known = mjs_findElement(spec, mjOBJ_MATERIAL, material) != nullptr;
  mjs_setString(geom->material, known ? material : "");
}

// discs are seen, not touched
void add_disc(mjSpec* spec, const std::string& name, Point2 at, double radius, const char* material) {
  mjsGeom* geom = add_geom(spec, name, mjGEOM_CYLINDER, at, 0.05);
  geom->size[0] = radius;
  geom->size[1] = 0.05;
  geom->contype = geom->conaffinity = 0;
  set_material(spec, geom, material);
}

void add_walls(mjSpec* spec, const Maze& maze, std::optional<Cell> around) {
  constexpr double kHalf = Maze::kUnit / 2, kHalfHeight = 0.5 / 2 * Maze::kUnit;
  for (int i = 0; i < maze.height(); ++i) {
    for (int j = 0; j < maze.width(); ++j) {
      if (maze.free({i, j})) continue;
      if (around && (std::abs(i - around->i) > 1 || std::abs(j - around->j) > 1)) continue;
      mjsGeom* wall = add_geom(spec, str("block_", i, "_", j), mjGEOM_BOX, maze.center({i, j}), kHalfHeight);
      wall->size[0] = wall->size[1] = kHalf;
      wall->size[2] = kHalfHeight;
      wall->contype = wall->conaffinity = 1;
      set_material(spec, wall, "wall");
    }
  }
}

void fit_floor(mjSpec* spec, const Maze& maze) {
  mjsGeom* floor = mjs_asGeom(mjs_findElement(spec, mjOBJ_GEOM, "floor"));
  if (floor == nullptr) throw Error("the body's XML has no geom 'floor'; is ogbench 1.2.2 installed?");
  floor->pos[0] = 2.0 * (maze.width() - 3);
  floor->pos[1] = 2.0 * (maze.height() - 3);
  floor->pos[2] = 0;
  floor->size[0] = 2.0 * maze.width();
  floor->size[1] = 2.0 * maze.height();
  floor->size[2] = 0.2;
}

}  // namespace

void check_mujoco_version() {
  // MuJoCo's own handler writes MUJOCO_LOG.TXT into the user's folder; a warning (an unstable simulation, which it
  // resets) is told on stderr instead
  mju_user_warning = [](const char* text) { std::fprintf(stderr, "alps: warning: MuJoCo: %s\n", text); };
  if (mj_version() != mjVERSION_HEADER)
    throw Error("built for MuJoCo ", mjVERSION_HEADER, " but the library loaded is ", mj_version(), " (",
                mj_versionString(), "); run ./alps clean and build again");
}

std::string mujoco_version() { return mj_versionString(); }

fs::path ogbench_folder() {
  const char* chosen = std::getenv("ALPS_OGBENCH");
  fs::path folder = ALPS_OGBENCH_DEFAULT;
  const fs::path beside = own_folder().parent_path() / "ogbench";  // of the Python package
  if (fs::exists(beside / "locomaze/assets")) folder = beside;
  if (chosen != nullptr && *chosen != '\0') folder = chosen;
  if (!fs::exists(folder / "locomaze/assets"))
    throw Error("no ogbench package at ", folder.string(), "; run ./alps build, or set ALPS_OGBENCH to its folder");
  return folder;
}

ModelPtr load_maze_model(const std::string& body, const Maze& maze, std::optional<Cell> around) {
  const fs::path xml = ogbench_folder() / "locomaze/assets" / (body + ".xml");
  const SpecPtr spec = parse_model(xml);

  // the order of the geoms is that of the package, so that contacts come in the same order
  add_walls(spec.get(), maze, around);
  fit_floor(spec.get(), maze);
  for (size_t k = 0; k < maze.teleport_in.size(); ++k)
    add_disc(spec.get(), str("teleport_in_", k), maze.center(maze.teleport_in[k]), Maze::kTeleportRadius,
             "teleport_in");
  for (size_t k = 0; k < maze.teleport_out.size(); ++k)
    add_disc(spec.get(), str("teleport_out_", k), maze.center(maze.teleport_out[k]), Maze::kTeleportRadius,
             "teleport_out");
  add_disc(spec.get(), "target", {0, 0}, 0.5, "target");

  return compile_model(spec, xml);
}

ModelPtr load_plane_model(const std::string& body) {
  const fs::path xml = ogbench_folder() / "online_locomotion/assets" / (body + ".xml");
  return compile_model(parse_model(xml), xml);
}

DataPtr make_data(const ModelPtr& model) {
  DataPtr data(mj_makeData(model.get()));
  if (!data) throw Error("MuJoCo cannot allocate the state of a simulation; is memory short?");
  return data;
}

}  // namespace alps

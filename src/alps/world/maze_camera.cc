#include "alps/world/maze_camera.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "alps/base/error.h"
#include "alps/world/maze_backdrop.h"
#include "alps/world/maze_light.h"
#include "alps/world/samples.h"
#include "alps/world/solid_caster.h"

namespace alps {
namespace {

// the package paints one leg white, so that the ant's front can be told from its back
constexpr std::array<std::string_view, 3> kWhite = {"aux_1_geom", "left_leg_geom", "left_ankle_geom"};
constexpr std::array<float, 3> kWhiteColor = {0.8f, 0.8f, 0.8f};

constexpr float kFar = 1e4f;  // nothing is as far away, or an angle as large

// a solid of the body: its geom, and what does not move of it
struct Part {
  int geom;
  Solid solid;
};

std::vector<Part> parts_of(const mjModel& model) {
  std::vector<Part> parts;
  for (int g = 0; g < model.ngeom; ++g) {
    if (model.geom_bodyid[g] == 0) continue;
    const int type = model.geom_type[g];
    ALPS_CHECK(type == mjGEOM_SPHERE || type == mjGEOM_CAPSULE);
    Part part{.geom = g, .solid = {}};
    const mjtNum* size = model.geom_size + 3 * g;
    part.solid.radius = static_cast<float>(size[0]);
    part.solid.half = type == mjGEOM_CAPSULE ? static_cast<float>(size[1]) : 0;
    const char* name = mj_id2name(&model, mjOBJ_GEOM, g);
    const bool white = name != nullptr && std::ranges::find(kWhite, name) != kWhite.end();
    const float* color = model.mat_rgba + 4 * model.geom_matid[g];
    part.solid.color = white ? kWhiteColor : std::array<float, 3>{color[0], color[1], color[2]};
    parts.push_back(part);
  }
  return parts;
}

ALPS_CLONES void resolve(const Samples& samples, uint8_t* pixels) {
  for (int p = 0; p < kFramePixels; ++p) {
    const int sum = samples.color[0][p] + samples.color[1][p] + samples.color[2][p] + samples.color[3][p];
    for (int c = 0; c < 3; ++c) pixels[3 * p + c] = static_cast<uint8_t>(((sum >> 10 * c & 1023) + 2) >> 2);
  }
}

const Rays& the_rays() {
  static const Rays rays;
  return rays;
}
const Glints& the_glints() {
  static const Glints glints(the_rays());
  return glints;
}

}  // namespace

struct MazeCamera::Impl {
  Impl(ModelPtr m, const Maze& in)
      : model(std::move(m)),
        maze(in),
        data(make_data(model)),
        camera(mj_name2id(model.get(), mjOBJ_CAMERA, "back")),
        parts(parts_of(*model)),
        solids(parts.size()),
        // the shadow map covers MuJoCo's extent of the model; its light is 1.3 high
        shadows(static_cast<float>(model->vis.map.shadowclip * model->stat.extent),
                static_cast<float>(1.3 - model->vis.map.znear * model->stat.extent)),
        backdrop(maze, *model, the_glints()) {
    if (camera < 0) throw Error("the body's XML has no camera 'back'; is ogbench 1.2.2 installed?");
  }

  ModelPtr model;
  const Maze& maze;
  DataPtr data;
  int camera;
  std::vector<Part> parts;
  std::vector<Solid> solids;
  Shadows shadows;
  MazeBackdrop backdrop;
  SolidCaster caster;
  Samples samples;
};

MazeCamera::MazeCamera(ModelPtr model, const Maze& maze) : impl_(std::make_unique<Impl>(std::move(model), maze)) {}
MazeCamera::MazeCamera(const MazeCamera& other) : MazeCamera(other.impl_->model, other.impl_->maze) {}
MazeCamera::~MazeCamera() = default;

void MazeCamera::see(std::span<const float> qpos, std::span<uint8_t> pixels) {
  Impl& c = *impl_;
  const mjModel& model = *c.model;
  mjData& data = *c.data;
  ALPS_CHECK(qpos.size() == static_cast<size_t>(model.nq) && pixels.size() == kBytes);

  for (const float q : qpos)
    if (!(std::abs(q) < kFar)) throw Error("a posture with the number ", q, " cannot be rendered");

  // where everything is
  std::ranges::copy(qpos, data.qpos);
  mj_kinematics(&model, &data);
  mj_comPos(&model, &data);  // the camera follows the centre of mass
  mj_camlight(&model, &data);
  const mjtNum* at = data.cam_xpos + 3 * c.camera;
  const Eye eye = {static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2])};
  for (size_t k = 0; k < c.parts.size(); ++k) {
    const mjtNum *center = data.geom_xpos + 3 * c.parts[k].geom, *axes = data.geom_xmat + 9 * c.parts[k].geom;
    Solid& solid = c.solids[k] = c.parts[k].solid;
    for (int i = 0; i < 3; ++i) solid.center[i] = static_cast<float>(center[i]);
    for (int i = 0; i < 9; ++i) solid.frame[i] = static_cast<float>(axes[i]);
  }

  c.shadows.cast(c.solids);
  c.backdrop.draw(eye, the_rays(), c.shadows, c.samples);
  const auto seen = c.caster.cast(c.solids, eye, the_rays(), c.samples);
  color_facets(c.solids, seen, eye, the_rays(), c.shadows, c.samples);
  resolve(c.samples, pixels.data());
}

}  // namespace alps

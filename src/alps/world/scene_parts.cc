#include "alps/world/scene_parts.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "alps/base/error.h"

namespace alps {
namespace {

constexpr int kShownGroups = 3;  // MuJoCo shows geoms of the groups 0 to 2

const char* shape_name(int type) {
  switch (type) {
    case mjGEOM_SPHERE: return "sphere";
    case mjGEOM_CAPSULE: return "capsule";
    case mjGEOM_ELLIPSOID: return "ellipsoid";
    case mjGEOM_CYLINDER: return "cylinder";
    case mjGEOM_BOX: return "box";
    case mjGEOM_MESH: return "mesh";
    default: return nullptr;
  }
}

const float* color_of(const mjModel& model, int geom) {
  const int material = model.geom_matid[geom];
  return material >= 0 ? model.mat_rgba + 4 * material : model.geom_rgba + 4 * geom;
}

// the trees of bodies that motors move, by their roots
std::set<int> driven(const mjModel& model) {
  std::set<int> roots;
  for (int a = 0; a < model.nu; ++a) {
    const int what = model.actuator_trnid[2 * a];
    if (model.actuator_trntype[a] == mjTRN_JOINT) roots.insert(model.body_rootid[model.jnt_bodyid[what]]);
    if (model.actuator_trntype[a] == mjTRN_TENDON)
      for (int w = 0; w < model.tendon_num[what]; ++w) {
        const int wrap = model.tendon_adr[what] + w;
        if (model.wrap_type[wrap] == mjWRAP_JOINT)
          roots.insert(model.body_rootid[model.jnt_bodyid[model.wrap_objid[wrap]]]);
      }
  }
  return roots;
}

// "table/btngeom_3" -> 3
std::optional<int> button_of(const mjModel& model, int geom) {
  const char* name = mj_id2name(&model, mjOBJ_GEOM, geom);
  const char* at = name == nullptr ? nullptr : std::strstr(name, "btngeom_");
  if (at == nullptr) return {};
  return std::atoi(at + std::strlen("btngeom_"));
}

}  // namespace

SceneParts::SceneParts(const BodyView& body) : model_(body.scene()), data_(make_data(model_)) {
  const mjModel& m = *model_;
  const std::set<int> agents = driven(m);
  bool objects = false;
  for (int g = 0; g < m.ngeom; ++g) {
    const char* shape = shape_name(m.geom_type[g]);
    const float* color = color_of(m, g);
    const int of = m.geom_bodyid[g];
    // a mocap body, and what is named so, mark the goal
    const char* name = mj_id2name(&m, mjOBJ_GEOM, g);
    if (name != nullptr && std::strcmp(name, "target") == 0) continue;
    if (shape == nullptr || color[3] == 0 || m.geom_group[g] >= kShownGroups || m.body_mocapid[of] >= 0) continue;
    ScenePart part{.shape = shape, .mesh = {}, .button = button_of(m, g)};
    std::copy_n(m.geom_size + 3 * g, 3, part.size.begin());
    std::copy_n(color, 4, part.color.begin());
    if (m.geom_type[g] == mjGEOM_MESH) part.mesh = m.geom_dataid[g];
    part.still = m.body_weldid[of] == 0;
    part.goal = !part.still && !agents.contains(m.body_rootid[of]);
    objects |= part.goal;
    parts_.push_back(std::move(part));
    geoms_.push_back(g);
  }
  if (objects) return;
  for (ScenePart& part : parts_) part.goal = !part.still;
}

SceneMesh SceneParts::mesh(size_t i) const {
  const mjModel& m = *model_;
  ALPS_CHECK(i < meshes());
  SceneMesh mesh;
  const int first = m.mesh_faceadr[i], vertices = m.mesh_vertadr[i], normals = m.mesh_normaladr[i];
  for (int corner = 3 * first; corner < 3 * (first + m.mesh_facenum[i]); ++corner) {
    const float* at = m.mesh_vert + 3 * (vertices + m.mesh_face[corner]);
    const float* normal = m.mesh_normal + 3 * (normals + m.mesh_facenormal[corner]);
    mesh.positions.insert(mesh.positions.end(), at, at + 3);
    mesh.normals.insert(mesh.normals.end(), normal, normal + 3);
  }
  return mesh;
}

std::vector<double> SceneParts::poses(std::span<const double> qpos) {
  ALPS_CHECK(qpos.size() == static_cast<size_t>(model_->nq));
  std::ranges::copy(qpos, data_->qpos);
  mj_kinematics(model_.get(), data_.get());
  std::vector<double> out;
  for (const int g : geoms_) {
    double turn[4];
    mju_mat2Quat(turn, data_->geom_xmat + 9 * g);
    out.insert(out.end(), data_->geom_xpos + 3 * g, data_->geom_xpos + 3 * g + 3);
    out.insert(out.end(), turn, turn + 4);
  }
  return out;
}

}  // namespace alps

#include "alps/world/body_view.h"

#include <algorithm>

namespace alps {

std::vector<BodyPart> solids(const mjModel& model, const mjData& data) {
  std::vector<BodyPart> parts;
  for (int g = 0; g < model.ngeom; ++g) {
    BodyPart part;
    switch (model.geom_type[g]) {
      case mjGEOM_SPHERE: part.shape = BodyPart::Shape::kSphere; break;
      case mjGEOM_CAPSULE: part.shape = BodyPart::Shape::kCapsule; break;
      case mjGEOM_ELLIPSOID: part.shape = BodyPart::Shape::kEllipsoid; break;
      case mjGEOM_CYLINDER: part.shape = BodyPart::Shape::kCylinder; break;
      case mjGEOM_BOX: part.shape = BodyPart::Shape::kBox; break;
      default: continue;
    }
    // body 0 is the world: walls, floor and marks; a mocap body marks a goal
    const int material = model.geom_matid[g];
    const float* color = material >= 0 ? model.mat_rgba + 4 * material : model.geom_rgba + 4 * g;
    const int body = model.geom_bodyid[g];
    if (body == 0 || model.body_mocapid[body] >= 0 || color[3] == 0) continue;
    std::copy_n(data.geom_xpos + 3 * g, 3, part.center.begin());
    std::copy_n(data.geom_xmat + 9 * g, 9, part.axes.begin());
    std::copy_n(model.geom_size + 3 * g, 3, part.size.begin());
    std::copy_n(color, 3, part.color.begin());
    parts.push_back(part);
  }
  return parts;
}

}  // namespace alps

// A scene as plain shapes, for those who draw it themselves, such as the page of `alps view`: what is seen of the model
// (body_view.h), and where each part is in a posture. MuJoCo's planes are left out: a floor at height 0 is understood.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alps/world/body_view.h"

namespace alps {

struct ScenePart {
  std::string shape;             // "sphere", "capsule", "ellipsoid", "cylinder", "box" or "mesh"
  std::array<double, 3> size{};  // MuJoCo's: radius; radius and half length; half extents
  std::array<float, 4> color{};  // sRGB and opacity, 0 .. 1
  std::optional<int> mesh;       // its number, of a mesh
  std::optional<int> button;     // its number, of the head of a button
  bool still = false;            // belongs to the world, and never moves
  bool goal = false;             // worth showing where the goal wants it: an object, or the agent where there is none
};

// corners of triangles, three after three
struct SceneMesh {
  std::vector<float> positions, normals;  // (corners, 3)
};

class SceneParts {
 public:
  explicit SceneParts(const BodyView& body);

  const std::vector<ScenePart>& parts() const { return parts_; }
  size_t meshes() const { return static_cast<size_t>(model_->nmesh); }
  SceneMesh mesh(size_t i) const;

  // (parts, 7): place and rotation (x, y, z and a quaternion w, x, y, z) of every part; `still` ones too
  std::vector<double> poses(std::span<const double> qpos);

 private:
  ModelPtr model_;
  DataPtr data_;
  std::vector<ScenePart> parts_;
  std::vector<int> geoms_;  // of the parts
};

}  // namespace alps

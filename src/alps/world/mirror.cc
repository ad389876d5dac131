#include "alps/world/mirror.h"

#include <cmath>
#include <string>

#include "alps/base/error.h"

namespace alps {
namespace {

std::string other_side(const std::string& name) {
  if (name.starts_with("left_")) return "right_" + name.substr(5);
  if (name.starts_with("right_")) return "left_" + name.substr(6);
  return name;
}

}  // namespace

void MirrorMap::apply(std::span<const float> in, std::span<float> out) const {
  ALPS_CHECK(in.size() == size() && out.size() == size() && in.data() != out.data());
  for (size_t i = 0; i < size(); ++i) out[i] = sign[i] * in[from[i]];
}

void MirrorMap::add(float sign_of_next) {
  from.push_back(size());
  sign.push_back(sign_of_next);
}

void MirrorMap::append(const MirrorMap& other) {
  const size_t first = size();
  for (size_t i = 0; i < other.size(); ++i) {
    from.push_back(first + other.from[i]);
    sign.push_back(other.sign[i]);
  }
}

MirrorMap mirror_of_joints(const mjModel& model) {
  MirrorMap map;
  for (int j = 1; j < model.njnt; ++j) {
    const std::string name = mj_id2name(&model, mjOBJ_JOINT, j);
    const int other = mj_name2id(&model, mjOBJ_JOINT, other_side(name).c_str());
    if (other < 1) throw Error("the body has a joint '", name, "' but none on the other side");

    // an axis of rotation keeps its part along y when y is reflected, and turns the rest round
    const double* axis = model.jnt_axis + 3 * j;
    const double* theirs = model.jnt_axis + 3 * other;
    const double product = -axis[0] * theirs[0] + axis[1] * theirs[1] - axis[2] * theirs[2];
    if (std::abs(std::abs(product) - 1) > 1e-6)
      throw Error("the axes of the joints '", name, "' and '", other_side(name), "' are not reflections");
    map.from.push_back(static_cast<size_t>(other - 1));
    map.sign.push_back(product > 0 ? 1.0f : -1.0f);
  }
  return map;
}

}  // namespace alps

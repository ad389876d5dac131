// MuJoCo's model editing behind RAII: a model read from an XML file, to be changed and put together, then compiled once
// into the immutable description that simulations share.
#pragma once

#include <mujoco/mujoco.h>

#include <filesystem>
#include <memory>
#include <string>

#include "alps/world/sim.h"

namespace alps {

struct SpecDeleter {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
};
using SpecPtr = std::unique_ptr<mjSpec, SpecDeleter>;

SpecPtr parse_model(const std::filesystem::path& xml);
// the same from text that stands for a file in `folder`, where its meshes and textures are
SpecPtr parse_model_text(const std::string& text, const std::filesystem::path& folder);
ModelPtr compile_model(const SpecPtr& spec, const std::filesystem::path& xml);  // `xml` is named in errors

}  // namespace alps

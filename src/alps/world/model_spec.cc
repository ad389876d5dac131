#include "alps/world/model_spec.h"

#include "alps/base/error.h"
#include "alps/world/version.h"

namespace fs = std::filesystem;

namespace alps {

SpecPtr parse_model(const fs::path& xml) {
  check_mujoco_version();
  char message[1000] = "";
  SpecPtr spec(mj_parseXML(xml.c_str(), nullptr, message, sizeof message));
  if (!spec) throw Error("cannot read ", xml.string(), ": ", message);
  return spec;
}

SpecPtr parse_model_text(const std::string& text, const fs::path& folder) {
  check_mujoco_version();
  char message[1000] = "";
  SpecPtr spec(mj_parseXMLString(text.c_str(), nullptr, message, sizeof message));
  if (!spec) throw Error("cannot read a model of ", folder.string(), ": ", message);
  mjs_setString(spec->modelfiledir, folder.c_str());
  return spec;
}

ModelPtr compile_model(const SpecPtr& spec, const fs::path& xml) {
  mjModel* model = mj_compile(spec.get(), nullptr);
  if (model == nullptr) throw Error("MuJoCo cannot compile ", xml.string(), ": ", mjs_getError(spec.get()));
  return {model, [](const mjModel* m) { mj_deleteModel(const_cast<mjModel*>(m)); }};
}

}  // namespace alps

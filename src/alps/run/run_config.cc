#include "alps/run/run_config.h"

#include <nlohmann/json.hpp>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/run/profiles.h"

namespace alps {
namespace {

using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

template <class T>
T field(const json& object, const char* key, const std::string& where) {
  if (!object.is_object() || !object.contains(key)) throw Error(where, ": lacks '", key, "'");
  try {
    return object[key].get<T>();
  } catch (const json::exception&) {
    throw Error(where, ": '", key, "' is ", object[key].dump().substr(0, 40), ", which has the wrong type");
  }
}

}  // namespace

bool RunConfig::is(const char* key, const std::string& word) const {
  const Setting* setting = profile.find(key);
  return setting != nullptr && setting->text() == word;
}

bool has_run(const fs::path& run) { return fs::exists(run / "config.json"); }

RunConfig load_run_config(const fs::path& run) {
  const std::string where = (run / "config.json").string();
  if (!fs::exists(where)) throw Error(where, ": no such file; train a run first: alps train NAME --out RUN");
  const json root = json::parse(read_text(where), nullptr, false);
  if (!root.is_object()) throw Error(where, ": is not a JSON object; the file is damaged");
  const int format = field<int>(root, "format", where);
  if (format > kRunFormat)
    throw Error(where, ": has format ", format, ", written by a newer alps; this one reads format ", kRunFormat);
  if (format < kRunFormat)
    throw Error(where,
                ": was written by an older alps, whose runs this one does not read; train it anew with alps train "
                "NAME --out RUN (--overwrite to use the same folder)");
  RunConfig config;
  config.method = field<std::string>(root, "method", where);
  config.preset = field<std::string>(root, "preset", where);
  config.policy = field<std::string>(root, "policy", where);
  config.planning = field<std::vector<std::string>>(root, "planning", where);
  const json data = field<json>(root, "data", where);
  config.data_name = field<std::string>(data, "name", where);
  config.data_path = field<std::string>(data, "path", where);
  config.data_crc32 = field<std::string>(data, "crc32", where);
  config.data_bytes = field<uint64_t>(data, "bytes", where);
  config.survey = survey_from_json(field<json>(root, "measured", where).dump(), where);
  if (root.contains("trust")) config.trust = field<std::vector<double>>(root, "trust", where);
  config.seed = field<uint64_t>(root, "seed", where);
  config.device = field<std::string>(root, "device", where);
  config.precision = field<std::string>(root, "precision", where);
  config.threads = field<int>(root, "threads", where);
  config.versions = field<std::map<std::string, std::string>>(root, "versions", where);
  config.profile = planning_profile();
  config.profile.read_json(field<json>(root, "settings", where).dump(), field<json>(root, "origins", where).dump(),
                           where);
  return config;
}

void save_run_config(const fs::path& run, const RunConfig& config) {
  const json root = {{"format", kRunFormat},
                     {"method", config.method},
                     {"preset", config.preset},
                     {"policy", config.policy},
                     {"planning", config.planning},
                     {"data",
                      {{"name", config.data_name},
                       {"path", config.data_path},
                       {"bytes", config.data_bytes},
                       {"crc32", config.data_crc32}}},
                     {"measured", json::parse(survey_json(config.survey))},
                     {"trust", config.trust},
                     {"seed", config.seed},
                     {"device", config.device},
                     {"precision", config.precision},
                     {"threads", config.threads},
                     {"settings", json::parse(config.profile.values_json())},
                     {"origins", json::parse(config.profile.origins_json())},
                     {"versions", config.versions}};
  write_text(run / "config.json", root.dump(2) + "\n");
}

}  // namespace alps

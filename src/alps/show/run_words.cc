#include "alps/show/run_words.h"

namespace alps {

std::string space_name(const Run& run) {
  const auto meaning = run.bundle->meanings.find("representation");
  if (!run.bundle->has("representation") || meaning == run.bundle->meanings.end()) return {};
  const std::string arrow = "-> ";
  const size_t at = meaning->second.rfind(arrow);
  return at == std::string::npos ? meaning->second : meaning->second.substr(at + arrow.size());
}

std::string shown_policy(const Run& run, const std::string& variant) { return run.graph ? variant : run.config.method; }

}  // namespace alps

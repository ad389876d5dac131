// What the shared library of this room (libalps_learn.so) offers to a program that opens it only when it trains:
// loading torch takes a third of a second, and planning never needs it. The caller compares `interface` and `version`
// with its own before it calls anything (run/learn_library.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "alps/data/survey.h"
#include "alps/learn/trainer.h"

namespace alps {

inline constexpr int kLearnInterface = 4;  // raised whenever anything in this header or learn/trainer.h changes

// a row of the table of methods, without torch
struct MethodInfo {
  std::string name, summary, policy;
  std::vector<std::string> parts, planning;
};

struct LearnLibrary {
  int interface;
  const char* version;
  const char* torch;  // version of
  std::vector<MethodInfo> (*methods)();
  // all settings of a method's training, as a preset gives them for data like these
  Profile (*profile)(const std::string& method, const std::string& preset, const Survey& survey);
  // UsageError for settings that do not go together
  void (*check)(const std::string& method, const Profile& profile);
  bool (*shapes_training)(const Setting& setting);  // another value would give other networks
  std::string (*device)(const std::string& asked);
  std::string (*precision)(const std::string& asked, const std::string& device);
  // `data` with the cuts of the profile; the validation file beside it is read here
  TrainReport (*train)(const std::string& method, std::shared_ptr<const Dataset> data, const TrainOptions& options);
};

}  // namespace alps

extern "C" const alps::LearnLibrary* alps_learn_library();

#include "alps/learn/library.h"

#include <torch/version.h>

#include "alps/learn/method.h"

namespace alps {
namespace {

std::vector<MethodInfo> method_infos() {
  std::vector<MethodInfo> infos;
  for (const Method& m : methods()) {
    infos.push_back({m.name, m.summary, m.policy, {}, m.planning});
    for (const PartKind& part : m.parts) infos.back().parts.push_back(part.name);
  }
  return infos;
}

Profile profile_of(const std::string& method, const std::string& preset, const Survey& survey) {
  return training_profile(method_named(method), preset, survey);
}

void check_profile(const std::string& method, const Profile& profile) {
  for (const PartKind& part : method_named(method).parts)
    if (part.check) part.check(profile);
}

TrainReport train_on(const std::string& method, std::shared_ptr<const Dataset> dataset, const TrainOptions& options) {
  TrainData data = make_train_data(std::move(dataset),
                                   {.threads = options.threads, .cuts = options.profile.get<CutSettings>().cuts()});
  if (options.say)
    for (const std::string& note : data.notes) options.say("note: " + note);
  return train(method_named(method), data, options);
}

constexpr LearnLibrary kLibrary = {.interface = kLearnInterface,
                                   .version = ALPS_VERSION,
                                   .torch = TORCH_VERSION,
                                   .methods = method_infos,
                                   .profile = profile_of,
                                   .check = check_profile,
                                   .shapes_training = shapes_training,
                                   .device = resolve_device,
                                   .precision = resolve_precision,
                                   .train = train_on};

}  // namespace
}  // namespace alps

extern "C" const alps::LearnLibrary* alps_learn_library() { return &alps::kLibrary; }

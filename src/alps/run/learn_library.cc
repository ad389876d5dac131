#include "alps/run/learn_library.h"

#include <dlfcn.h>

#include "alps/base/names.h"
#include "alps/base/own_folder.h"

namespace alps {
namespace {

const LearnLibrary& open_library() {
  const std::filesystem::path path = own_folder() / "libalps_learn.so";
  void* handle = dlopen(path.c_str(), RTLD_NOW);
  if (handle == nullptr) throw Error("cannot load the training library: ", dlerror());
  const auto entry = reinterpret_cast<decltype(&alps_learn_library)>(dlsym(handle, "alps_learn_library"));
  if (entry == nullptr) throw Error(path.string(), ": is not a training library of this alps; build alps again");
  const LearnLibrary& library = *entry();
  if (library.interface != kLearnInterface || std::string(library.version) != ALPS_VERSION)
    throw Error(path.string(), ": is of alps ", library.version, " (interface ", library.interface,
                "), but this is alps ", ALPS_VERSION, " (interface ", kLearnInterface, "); build alps again");
  return library;
}

}  // namespace

const LearnLibrary& learn_library() {
  static const LearnLibrary& library = open_library();
  return library;
}

MethodInfo method_info(const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (MethodInfo& info : learn_library().methods()) {
    if (info.name == name) return info;
    names.push_back(info.name);
    list += (list.empty() ? "" : ", ") + info.name;
  }
  throw UsageError("--method ", name, ": there is no such method", nearest_hint(name, names), "; there are ", list);
}

}  // namespace alps

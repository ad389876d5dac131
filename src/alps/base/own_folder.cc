#include "alps/base/own_folder.h"

#include <dlfcn.h>
#include <link.h>

namespace fs = std::filesystem;

namespace alps {

fs::path own_folder() {
  // the program itself has no name in the loader's list
  Dl_info info;
  link_map* map = nullptr;
  const bool found =
      dladdr1(reinterpret_cast<void*>(&own_folder), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
  if (!found || map == nullptr || map->l_name[0] == '\0') return fs::read_symlink("/proc/self/exe").parent_path();
  return fs::canonical(map->l_name).parent_path();
}

}  // namespace alps

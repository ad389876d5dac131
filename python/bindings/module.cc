#include "bindings/module.h"

#include <nanobind/stl/string.h>

#include "alps/world/version.h"

NB_MODULE(_core, m) {
  using namespace alps::python;
  m.doc() = "The C++ library behind the package alps; use the names of `alps` instead.";
  add_errors();
  alps::check_mujoco_version();
  m.attr("version") = ALPS_VERSION;
  m.attr("mujoco_version") = alps::mujoco_version();
  add_agent(m);
  add_env(m);
  add_eval(m);
  add_data(m);
  add_training(m);
}

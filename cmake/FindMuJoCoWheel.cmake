# MuJoCo from the `mujoco` wheel in .venv: headers in mujoco/include, the library only as libmujoco.so.VERSION.
execute_process(
  COMMAND ${ALPS_PYTHON} -c "import importlib.util as u; print(u.find_spec('mujoco').submodule_search_locations[0])"
  OUTPUT_VARIABLE MUJOCO_WHEEL OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(GLOB MUJOCO_LIBRARY ${MUJOCO_WHEEL}/libmujoco.so.*)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MuJoCoWheel REQUIRED_VARS MUJOCO_LIBRARY MUJOCO_WHEEL)
add_library(mujoco::mujoco SHARED IMPORTED)
set_target_properties(mujoco::mujoco PROPERTIES
  IMPORTED_LOCATION ${MUJOCO_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${MUJOCO_WHEEL}/include)
set(CMAKE_BUILD_RPATH ${MUJOCO_WHEEL})

# OGBench's model files are read at run time from where the package is installed; a wheel of ours is built without it
execute_process(
  COMMAND ${ALPS_PYTHON} -c "import importlib.util as u; s = u.find_spec('ogbench'); print(s.submodule_search_locations[0] if s else '')"
  OUTPUT_VARIABLE OGBENCH_FOLDER OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

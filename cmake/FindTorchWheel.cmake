# LibTorch from the `torch` wheel in .venv: target torch::torch. Torch's own config adds global flags; here only what our
# sources need is passed on. Includes are SYSTEM, so that their warnings are not ours.
execute_process(
  COMMAND ${ALPS_PYTHON} -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
  OUTPUT_VARIABLE TORCH_WHEEL OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND ${ALPS_PYTHON} -c "import sys; exec(open(sys.argv[1]).read()); print(__version__)" ${TORCH_WHEEL}/version.py
  OUTPUT_VARIABLE TORCH_WHEEL_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
find_library(TORCH_CPU_LIBRARY torch_cpu PATHS ${TORCH_WHEEL}/lib NO_DEFAULT_PATH)
find_library(TORCH_C10_LIBRARY c10 PATHS ${TORCH_WHEEL}/lib NO_DEFAULT_PATH)
find_library(TORCH_MAIN_LIBRARY torch PATHS ${TORCH_WHEEL}/lib NO_DEFAULT_PATH)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TorchWheel REQUIRED_VARS TORCH_CPU_LIBRARY TORCH_C10_LIBRARY TORCH_MAIN_LIBRARY
  VERSION_VAR TORCH_WHEEL_VERSION)
add_library(torch::torch INTERFACE IMPORTED)
target_include_directories(torch::torch SYSTEM INTERFACE
  ${TORCH_WHEEL}/include ${TORCH_WHEEL}/include/torch/csrc/api/include)
# libtorch only registers the GPU libraries where the wheel has them; keep it although no symbol of it is used
target_link_libraries(torch::torch INTERFACE ${TORCH_CPU_LIBRARY} ${TORCH_C10_LIBRARY}
  -Wl,--no-as-needed ${TORCH_MAIN_LIBRARY} -Wl,--as-needed)
set(TORCH_LIBRARY_FOLDER ${TORCH_WHEEL}/lib)

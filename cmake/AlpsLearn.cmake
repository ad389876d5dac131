# The room learn: a shared library beside the program, which opens it only when it trains (learn/library.h): torch takes a
# third of a second to load.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/alps/learn/*.cc)
add_library(alps_learn SHARED ${sources})
target_link_libraries(alps_learn PUBLIC alps_data alps_nn PRIVATE torch::torch alps_options)
target_compile_definitions(alps_learn PRIVATE ALPS_VERSION="${PROJECT_VERSION}")
target_precompile_headers(alps_learn PRIVATE <ATen/ATen.h>)
set_target_properties(alps_learn PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/apps
  BUILD_RPATH ${TORCH_LIBRARY_FOLDER})

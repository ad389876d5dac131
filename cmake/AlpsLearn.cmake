# The room learn: settings that every verb may read (alps_learn_config), and training itself as a shared library beside
# the program, which opens it only when it trains: torch takes a third of a second to load.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/alps/learn/*.cc)
set(settings ${sources})
list(FILTER settings INCLUDE REGEX "/((train|run)_config|trunk_settings)\\.cc$")
list(REMOVE_ITEM sources ${settings})

add_library(alps_learn_config STATIC ${settings})
target_include_directories(alps_learn_config PUBLIC ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(alps_learn_config PUBLIC alps_base PRIVATE alps_options nlohmann_json::nlohmann_json)

add_library(alps_learn SHARED ${sources})
target_link_libraries(alps_learn PUBLIC alps_learn_config alps_data alps_nn PRIVATE torch::torch alps_options)
target_precompile_headers(alps_learn PRIVATE <ATen/ATen.h>)
set_target_properties(alps_learn PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/apps
  BUILD_RPATH ${TORCH_LIBRARY_FOLDER})

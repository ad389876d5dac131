# Shared by every target of ours: warnings are errors, and the compile options of the sanitizer presets.
add_library(alps_options INTERFACE)
# -Wrestrict of g++ 12 misfires on std::string (GCC bug 105651); designated initializers name what differs from defaults
target_compile_options(alps_options INTERFACE -Wall -Wextra -Werror -Wno-missing-field-initializers
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
set(ALPS_SANITIZE "" CACHE STRING "sanitizers, for example address,undefined")
if(ALPS_SANITIZE)
  target_compile_options(alps_options INTERFACE -fsanitize=${ALPS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(alps_options INTERFACE -fsanitize=${ALPS_SANITIZE})
endif()
find_package(Threads REQUIRED)

# alps_room(NAME [PUBLIC libs] [PRIVATE libs]): the library of src/alps/NAME
function(alps_room name)
  cmake_parse_arguments(ROOM "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/alps/${name}/*.cc)
  add_library(alps_${name} STATIC ${sources})
  add_library(alps::${name} ALIAS alps_${name})
  set_target_properties(alps_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(alps_${name} PUBLIC cxx_std_20)
  target_include_directories(alps_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  target_link_libraries(alps_${name} PUBLIC ${ROOM_PUBLIC} Threads::Threads PRIVATE $<BUILD_INTERFACE:alps_options> ${ROOM_PRIVATE})
endfunction()

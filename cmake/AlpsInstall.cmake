# cmake --install: the planner as a package for find_package(alps), targets alps::plan, alps::graph, alps::nn and
# alps::base, and alps::plan_c, the same in C. The program stays where it is built, beside the Python environment that
# holds torch and MuJoCo.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(rooms base nn graph plan)
list(TRANSFORM rooms PREPEND alps_ OUTPUT_VARIABLE targets)
install(TARGETS ${targets} alps_plan_c EXPORT alps ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# alone under the name that programs in C include
install(FILES src/alps/plan/c_interface.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/alps RENAME plan.h)
foreach(room ${rooms})
  install(DIRECTORY src/alps/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/alps FILES_MATCHING PATTERN "*.h"
          PATTERN c_interface.h EXCLUDE)
endforeach()
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/alps)
install(EXPORT alps NAMESPACE alps:: FILE alps-targets.cmake DESTINATION ${folder})
file(WRITE ${CMAKE_BINARY_DIR}/alps-config.cmake [[
include(CMakeFindDependencyMacro)
find_dependency(ZLIB)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/alps-targets.cmake)
]])
write_basic_package_version_file(${CMAKE_BINARY_DIR}/alps-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/alps-config.cmake ${CMAKE_BINARY_DIR}/alps-config-version.cmake DESTINATION ${folder})

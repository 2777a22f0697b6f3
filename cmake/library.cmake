# SPDX-License-Identifier: BSD-3-Clause

# The library that others link: libthalweg.so, its headers, its CMake package and its pkg-config file.
include(CMakePackageConfigHelpers)
include(cmake/pkg_config.cmake)

add_library(thalweg SHARED ${PROJECT_SOURCE_DIR}/src/api/interface/thalweg.cpp)
add_library(Thalweg::thalweg ALIAS thalweg)
set_target_properties(thalweg PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${THALWEG_SOVERSION}
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
target_compile_definitions(thalweg PRIVATE THALWEG_VERSION="${PROJECT_VERSION}")
target_include_directories(thalweg PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(thalweg PRIVATE thalweg_flags thalweg_boundary thalweg_strategies)
thalweg_runs_anywhere(thalweg SHARED_UNWINDER)
target_link_options(thalweg PRIVATE -Wl,--exclude-libs,ALL)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Thalweg)
install(TARGETS thalweg EXPORT ThalwegTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/thalweg DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ThalwegTargets NAMESPACE Thalweg:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ThalwegConfig.cmake.in
  ${PROJECT_BINARY_DIR}/ThalwegConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ThalwegConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ThalwegConfig.cmake ${PROJECT_BINARY_DIR}/ThalwegConfigVersion.cmake
  DESTINATION ${package})
thalweg_pkg_config(thalweg)
configure_file(${PROJECT_SOURCE_DIR}/cmake/thalweg.lua.in ${PROJECT_BINARY_DIR}/modulefiles/${PROJECT_VERSION}.lua @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/modulefiles/${PROJECT_VERSION}.lua
  DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/thalweg)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")

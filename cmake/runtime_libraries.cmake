# SPDX-License-Identifier: BSD-3-Clause

# Libraries that programs link, libthalweg-<name>-<flavor>.so: one for each MPI library found, as it calls that library
# by its own header. With each goes room job's table of the library's functions.

# thalweg_runtime_library(src/<folder> NAME <name> [USES <rooms>...] [ON <other such libraries>...])
function(thalweg_runtime_library source)
  cmake_parse_arguments(LIBRARY "" "NAME" "USES;ON" ${ARGN})
  set(name ${LIBRARY_NAME})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${source}/*.cpp
    ${PROJECT_SOURCE_DIR}/src/runtime/job/library/*.cpp)
  set(window ${PROJECT_BINARY_DIR}/rooms/runtime_${name})
  string(REGEX REPLACE "^src/[a-z]+/" "" folder ${source})
  cmake_path(GET folder PARENT_PATH parent)
  file(MAKE_DIRECTORY ${window}/job ${window}/${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/runtime/job/library ${window}/job/library SYMBOLIC)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${source} ${window}/${folder} SYMBOLIC)
  list(TRANSFORM LIBRARY_USES PREPEND thalweg_)
  foreach(flavor IN LISTS THALWEG_MPI_FLAVORS)
    set(target thalweg_${name}_${flavor})
    add_library(${target} SHARED ${sources})
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME thalweg-${name}-${flavor}
      EXPORT_NAME ${name}_${flavor}
      VERSION ${PROJECT_VERSION}
      SOVERSION ${THALWEG_SOVERSION}
      CXX_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON)
    target_include_directories(${target} PRIVATE ${window} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    # Who uses an installation has found his MPI by himself.
    target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:mpi_flavor_${flavor}>
      PRIVATE thalweg_flags thalweg_boundary ${LIBRARY_USES} thalweg_job_${flavor} ${CMAKE_DL_LIBS})
    foreach(other IN LISTS LIBRARY_ON)
      target_link_libraries(${target} PUBLIC thalweg_${other}_${flavor})
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "\$ORIGIN")
    endforeach()
    thalweg_precompile(${target} runtime)
    thalweg_runs_anywhere(${target} SHARED_UNWINDER)
    target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
    install(TARGETS ${target} EXPORT ThalwegTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set(others ${LIBRARY_ON})
    list(TRANSFORM others REPLACE "(.+)" "thalweg-\\1-${flavor}")
    thalweg_pkg_config(thalweg-${name}-${flavor} ${others})
  endforeach()
endfunction()

thalweg_runtime_library(src/api/team NAME team USES nic)
thalweg_runtime_library(src/api/stream/mpi NAME stream USES stream)
thalweg_runtime_library(src/api/balancer NAME balance USES balance control)
thalweg_runtime_library(src/api/placer NAME place USES place)
thalweg_runtime_library(src/api/objects/mpi NAME objects USES objects control ON stream balance)

# SPDX-License-Identifier: BSD-3-Clause

# What `thalweg run` loads into programs.
#
# The preloaded interposers: the same sources once per family of MPI libraries, with that family's header. They link
# with no MPI library: they find the program's when it runs.

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(nlohmann_json REQUIRED)

# What needs no mpi.h is compiled once.
set(mpi_window ${PROJECT_BINARY_DIR}/rooms/mpi)
file(MAKE_DIRECTORY ${mpi_window})
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/run/mpi ${mpi_window}/mpi SYMBOLIC)
file(GLOB observe_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/run/mpi/observe/*.cpp)
set(compiled_once state/settings learn/learned_entry choose/effect abi/imports record/joined_recording
  record/pattern_store timeline/event_memory trace/packed_trace place/proposal)
list(TRANSFORM compiled_once PREPEND ${PROJECT_SOURCE_DIR}/src/run/mpi/)
list(TRANSFORM compiled_once APPEND .cpp)
add_library(thalweg_observe STATIC ${observe_sources} ${compiled_once})
set_target_properties(thalweg_observe PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
target_compile_options(thalweg_observe PRIVATE -ftls-model=initial-exec)
thalweg_precompile(thalweg_observe observe nlohmann/json.hpp)
target_compile_definitions(thalweg_observe PRIVATE THALWEG_VERSION="${PROJECT_VERSION}")
target_include_directories(thalweg_observe PUBLIC ${mpi_window})
target_link_libraries(thalweg_observe PRIVATE thalweg_flags nlohmann_json::nlohmann_json
  PUBLIC thalweg_job thalweg_tune thalweg_pattern thalweg_place ${CMAKE_DL_LIBS})

# Source lines for reports; without libdw they name symbols' modules and addresses only.
find_path(THALWEG_LIBDW_INCLUDE_DIR elfutils/libdwfl.h)
find_library(THALWEG_LIBDW dw)
if(THALWEG_LIBDW_INCLUDE_DIR AND THALWEG_LIBDW)
  add_library(thalweg_symbols MODULE ${PROJECT_SOURCE_DIR}/src/run/mpi/symbols/symbols.cpp)
  set_target_properties(thalweg_symbols PROPERTIES OUTPUT_NAME thalweg-symbols PREFIX lib
    CXX_VISIBILITY_PRESET hidden)
  target_link_libraries(thalweg_symbols PRIVATE thalweg_flags ${THALWEG_LIBDW})
  thalweg_runs_anywhere(thalweg_symbols)
  install(TARGETS thalweg_symbols LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/thalweg)
endif()

# Reports jobs that ended without MPI_Finalize.
add_executable(thalweg_unfinished ${PROJECT_SOURCE_DIR}/src/run/mpi/unfinished/main.cpp)
set_target_properties(thalweg_unfinished PROPERTIES OUTPUT_NAME thalweg-unfinished)
target_link_libraries(thalweg_unfinished PRIVATE thalweg_flags thalweg_observe)
thalweg_runs_anywhere(thalweg_unfinished)
install(TARGETS thalweg_unfinished RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/thalweg)

# What tools need that read the sources and build nothing, as clang-tidy.
add_custom_target(generated_sources)

# thalweg_interposer(<family> <include folder> [options of generate.py...])
function(thalweg_interposer family include)
  set(source ${PROJECT_SOURCE_DIR}/src/run/mpi)
  set(generated ${PROJECT_BINARY_DIR}/interposer/${family})
  set(outputs native_table.cpp forwards.cpp entry_points.cpp native_table.hpp handlers.hpp exports.map)
  if(family STREQUAL openmpi)
    list(APPEND outputs predefined.hpp predefined.cpp)
  endif()
  list(TRANSFORM outputs PREPEND ${generated}/)
  add_custom_command(OUTPUT ${outputs}
    COMMAND Python3::Interpreter ${source}/abi/generate.py --output ${generated} ${ARGN}
    DEPENDS ${source}/abi/generate.py ${source}/abi/entries.py ${source}/abi/functions.py ${source}/abi/prototypes.py)
  add_custom_target(thalweg_generated_${family} DEPENDS ${outputs})
  add_dependencies(generated_sources thalweg_generated_${family})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${source}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/mpi/symbols/|/mpi/unfinished/|/mpi/world/")
  list(REMOVE_ITEM sources ${observe_sources} ${compiled_once})

  string(TOUPPER ${family} upper)
  add_library(thalweg_${family} MODULE ${sources} ${outputs})
  add_dependencies(thalweg_${family} thalweg_generated_${family})
  set_target_properties(thalweg_${family} PROPERTIES
    OUTPUT_NAME thalweg-${family}
    PREFIX lib
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${generated}/exports.map)
  target_compile_definitions(thalweg_${family} PRIVATE THALWEG_FAMILY_${upper} OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_compile_options(thalweg_${family} PRIVATE -ftls-model=initial-exec -fno-semantic-interposition)
  target_include_directories(thalweg_${family} PRIVATE ${generated} ${mpi_window} ${PROJECT_SOURCE_DIR}/include)
  if(EXISTS ${source}/abi/families/${family}/mpi.h)
    target_include_directories(thalweg_${family} PRIVATE ${source}/abi/families/${family})
  endif()
  target_include_directories(thalweg_${family} SYSTEM PRIVATE ${include})
  target_link_libraries(thalweg_${family} PRIVATE
    thalweg_flags thalweg_observe thalweg_job_${family} thalweg_control thalweg_nic thalweg_pattern thalweg_place ${CMAKE_DL_LIBS})
  # Most of its files include these, so they are parsed once a family.
  thalweg_precompile(thalweg_${family} ${family} mpi/comm/communicators.hpp mpi/call/sides.hpp mpi/state/runtime.hpp)
  thalweg_runs_anywhere(thalweg_${family})
  target_link_options(thalweg_${family} PRIVATE -Wl,-Bsymbolic
    -Wl,--version-script=${generated}/exports.map)
  install(TARGETS thalweg_${family} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/thalweg)
  thalweg_world(${family} ${include} ${ARGN})
endfunction()

# The library that is loaded before an interposer where ranks may be numbered anew.
function(thalweg_world family include)
  set(source ${PROJECT_SOURCE_DIR}/src/run/mpi)
  set(generated ${PROJECT_BINARY_DIR}/world/${family})
  set(options ${ARGN})
  list(FILTER options INCLUDE REGEX "--large-count")
  add_custom_command(OUTPUT ${generated}/world_entries.cpp ${generated}/world_exports.map
    COMMAND Python3::Interpreter ${source}/world/generate_world.py --output ${generated} ${options}
    DEPENDS ${source}/world/generate_world.py ${source}/world/world_functions.py ${source}/abi/generate.py
      ${source}/abi/entries.py ${source}/abi/functions.py ${source}/abi/prototypes.py)
  string(TOUPPER ${family} upper)
  add_library(thalweg_world_${family} MODULE ${source}/world/world.cpp ${generated}/world_entries.cpp
    ${generated}/world_exports.map)
  set_target_properties(thalweg_world_${family} PROPERTIES OUTPUT_NAME thalweg-world-${family} PREFIX lib
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${generated}/world_exports.map)
  target_compile_definitions(thalweg_world_${family} PRIVATE THALWEG_FAMILY_${upper} OMPI_SKIP_MPICXX
    MPICH_SKIP_MPICXX)
  target_include_directories(thalweg_world_${family} PRIVATE ${mpi_window}
    ${PROJECT_BINARY_DIR}/interposer/${family})
  if(EXISTS ${source}/abi/families/${family}/mpi.h)
    target_include_directories(thalweg_world_${family} PRIVATE ${source}/abi/families/${family})
  endif()
  target_include_directories(thalweg_world_${family} SYSTEM PRIVATE ${include})
  target_link_libraries(thalweg_world_${family} PRIVATE thalweg_flags ${CMAKE_DL_LIBS})
  thalweg_runs_anywhere(thalweg_world_${family})
  target_link_options(thalweg_world_${family} PRIVATE -Wl,-Bsymbolic
    -Wl,--version-script=${generated}/world_exports.map)
  add_dependencies(thalweg_world_${family} thalweg_${family}) # which generates predefined.hpp
  install(TARGETS thalweg_world_${family} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/thalweg)
endfunction()

# The programs that measure, thalweg-trial-<soname>: for each name under which a family's libraries are loaded.
# thalweg_trial(<family> <include folder> <sonames...>)
function(thalweg_trial family include)
  set(source ${PROJECT_SOURCE_DIR}/src/run/trial)
  file(GLOB sources CONFIGURE_DEPENDS ${source}/*.c)
  add_library(thalweg_trial_${family} OBJECT ${sources})
  # As in a library, so that handles are not copied out of the one that is loaded.
  set_target_properties(thalweg_trial_${family} PROPERTIES POSITION_INDEPENDENT_CODE ON C_STANDARD 11 C_EXTENSIONS ON)
  target_compile_definitions(thalweg_trial_${family} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  # MPICH's MPI_STATUSES_IGNORE is an address that GCC takes for an array without elements.
  target_compile_options(thalweg_trial_${family} PRIVATE -Wno-stringop-overflow)
  if(family STREQUAL mpiabi)
    target_include_directories(thalweg_trial_${family} PRIVATE ${PROJECT_SOURCE_DIR}/src/run/mpi/abi/families/mpiabi)
  endif()
  target_include_directories(thalweg_trial_${family} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(thalweg_trial_${family} SYSTEM PRIVATE ${include})
  target_link_libraries(thalweg_trial_${family} PRIVATE thalweg_flags)
  foreach(soname IN LISTS ARGN)
    set(stub ${PROJECT_BINARY_DIR}/trial/${soname})
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/trial)
    add_custom_command(OUTPUT ${stub} COMMAND Python3::Interpreter ${source}/stub.py --compiler ${CMAKE_C_COMPILER}
      --output ${stub} $<TARGET_OBJECTS:thalweg_trial_${family}> COMMAND_EXPAND_LISTS
      DEPENDS $<TARGET_OBJECTS:thalweg_trial_${family}> ${source}/stub.py)
    set(target thalweg_trial_${soname})
    add_custom_target(thalweg_stub_${soname} DEPENDS ${stub})
    add_executable(${target} $<TARGET_OBJECTS:thalweg_trial_${family}>)
    add_dependencies(${target} thalweg_stub_${soname})
    # The command writes the folder of an MPI that lies elsewhere over it (trials/shipped.py).
    string(REPEAT / 480 room)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME thalweg-trial-${soname} LINKER_LANGUAGE C LINK_DEPENDS ${stub}
      BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH /thalweg-mpi${room})
    target_link_options(${target} PRIVATE -L${PROJECT_BINARY_DIR}/trial)
    target_link_libraries(${target} PRIVATE -l:${soname} ${CMAKE_DL_LIBS})
    thalweg_runs_anywhere(${target})
    install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/thalweg)
    set_property(GLOBAL APPEND PROPERTY THALWEG_TRIALS ${target})
  endforeach()
endfunction()

if(THALWEG_OPENMPI_INCLUDE_DIR)
  thalweg_interposer(openmpi ${THALWEG_OPENMPI_INCLUDE_DIR} --predefined ${THALWEG_OPENMPI_INCLUDE_DIR}/mpi.h)
  thalweg_trial(openmpi ${THALWEG_OPENMPI_INCLUDE_DIR} libmpi.so.40)
endif()
if(THALWEG_MPICH_INCLUDE_DIR)
  thalweg_interposer(mpich ${THALWEG_MPICH_INCLUDE_DIR} --large-count)
  thalweg_trial(mpich ${THALWEG_MPICH_INCLUDE_DIR} libmpi.so.12 libmpich.so.12)
endif()
if(THALWEG_MPIABI_INCLUDE_DIR)
  thalweg_interposer(mpiabi ${THALWEG_MPIABI_INCLUDE_DIR} --large-count)
  thalweg_trial(mpiabi ${THALWEG_MPIABI_INCLUDE_DIR} libmpi_abi.so.1 libmpi_abi.so.0)
endif()

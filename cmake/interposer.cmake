# The preloaded interposers: the same sources once per family of MPI libraries, with that family's header. They link
# with no MPI library: they find the program's when it runs.

set(THALWEG_OPENMPI_INCLUDE_DIR "" CACHE PATH "Folder of Open MPI's mpi.h (4.1 or later)")
set(THALWEG_MPICH_INCLUDE_DIR "" CACHE PATH "Folder of MPICH's mpi.h (4.0 or later)")
set(THALWEG_MPIABI_INCLUDE_DIR "" CACHE PATH "Folder of the standard ABI's mpi_abi.h")

# Asks a compiler wrapper for its include folders, and takes the first that has the header.
function(thalweg_find_mpi_header variable header question)
  if(${variable})
    return()
  endif()
  foreach(wrapper IN LISTS ARGN)
    find_program(program_${wrapper} ${wrapper})
    mark_as_advanced(program_${wrapper})
    if(program_${wrapper})
      execute_process(COMMAND ${program_${wrapper}} ${question} OUTPUT_VARIABLE answer ERROR_QUIET)
      string(REGEX MATCHALL "-I[^ \n]+" folders "${answer}")
      list(TRANSFORM folders REPLACE "^-I" "")
      foreach(folder IN LISTS folders)
        if(EXISTS ${folder}/${header})
          set(${variable} ${folder} CACHE PATH "" FORCE)
          return()
        endif()
      endforeach()
    endif()
  endforeach()
endfunction()

thalweg_find_mpi_header(THALWEG_OPENMPI_INCLUDE_DIR mpi.h --showme:compile mpicc.openmpi)
thalweg_find_mpi_header(THALWEG_MPICH_INCLUDE_DIR mpi.h -show mpicc.mpich)
thalweg_find_mpi_header(THALWEG_MPIABI_INCLUDE_DIR mpi_abi.h -show mpicc_abi)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(nlohmann_json REQUIRED)

# What needs no mpi.h is compiled once.
set(mpi_window ${PROJECT_BINARY_DIR}/rooms/mpi)
file(MAKE_DIRECTORY ${mpi_window})
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/mpi ${mpi_window}/mpi SYMBOLIC)
file(GLOB observe_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi/observe/*.cpp)
add_library(thalweg_observe STATIC ${observe_sources} ${PROJECT_SOURCE_DIR}/src/mpi/settings.cpp
  ${PROJECT_SOURCE_DIR}/src/mpi/load.cpp ${PROJECT_SOURCE_DIR}/src/mpi/socket.cpp)
set_target_properties(thalweg_observe PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
target_compile_options(thalweg_observe PRIVATE -ftls-model=initial-exec)
thalweg_precompile(thalweg_observe observe nlohmann/json.hpp)
target_include_directories(thalweg_observe PUBLIC ${mpi_window})
target_link_libraries(thalweg_observe PRIVATE thalweg_flags thalweg_topology nlohmann_json::nlohmann_json
  PUBLIC thalweg_engine ${CMAKE_DL_LIBS})

# Source lines for reports; without libdw they name symbols' modules and addresses only.
find_path(THALWEG_LIBDW_INCLUDE_DIR elfutils/libdwfl.h)
find_library(THALWEG_LIBDW dw)
if(THALWEG_LIBDW_INCLUDE_DIR AND THALWEG_LIBDW)
  add_library(thalweg_symbols MODULE ${PROJECT_SOURCE_DIR}/src/mpi/symbols/symbols.cpp)
  set_target_properties(thalweg_symbols PROPERTIES OUTPUT_NAME thalweg-symbols PREFIX lib
    CXX_VISIBILITY_PRESET hidden)
  target_link_libraries(thalweg_symbols PRIVATE thalweg_flags ${THALWEG_LIBDW})
  target_link_options(thalweg_symbols PRIVATE -static-libstdc++ -static-libgcc)
  install(TARGETS thalweg_symbols LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/thalweg)
endif()

# thalweg_interposer(<family> <include folder> [options of generate.py...])
function(thalweg_interposer family include)
  set(source ${PROJECT_SOURCE_DIR}/src/mpi)
  set(generated ${PROJECT_BINARY_DIR}/interposer/${family})
  set(outputs native_table.cpp forwards.cpp entry_points.cpp native_table.hpp handlers.hpp exports.map)
  if(family STREQUAL openmpi)
    list(APPEND outputs predefined.hpp predefined.cpp)
  endif()
  list(TRANSFORM outputs PREPEND ${generated}/)
  add_custom_command(OUTPUT ${outputs}
    COMMAND Python3::Interpreter ${source}/generate.py --output ${generated} ${ARGN}
    DEPENDS ${source}/generate.py ${source}/functions.py ${source}/prototypes.py)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${source}/*.cpp ${PROJECT_SOURCE_DIR}/src/transport/mpi/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/mpi/symbols/|/mpi/observe/|/mpi/settings.cpp|/mpi/load.cpp|/mpi/socket.cpp")

  string(TOUPPER ${family} upper)
  add_library(thalweg_${family} MODULE ${sources} ${outputs})
  set_target_properties(thalweg_${family} PROPERTIES
    OUTPUT_NAME thalweg-${family}
    PREFIX lib
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${generated}/exports.map)
  target_compile_definitions(thalweg_${family} PRIVATE THALWEG_FAMILY_${upper} OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_compile_options(thalweg_${family} PRIVATE -ftls-model=initial-exec -fno-semantic-interposition)
  target_include_directories(thalweg_${family} PRIVATE ${generated} ${mpi_window} ${PROJECT_SOURCE_DIR}/include)
  if(EXISTS ${source}/families/${family}/mpi.h)
    target_include_directories(thalweg_${family} PRIVATE ${source}/families/${family})
  endif()
  target_include_directories(thalweg_${family} SYSTEM PRIVATE ${include})
  target_link_libraries(thalweg_${family} PRIVATE
    thalweg_flags thalweg_observe thalweg_engine thalweg_shm thalweg_routed thalweg_tune thalweg_pattern ${CMAKE_DL_LIBS})
  thalweg_precompile(thalweg_${family} ${family})
  target_link_options(thalweg_${family} PRIVATE -static-libstdc++ -static-libgcc -Wl,-Bsymbolic
    -Wl,--version-script=${generated}/exports.map)
  install(TARGETS thalweg_${family} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/thalweg)
endfunction()

if(THALWEG_OPENMPI_INCLUDE_DIR)
  thalweg_interposer(openmpi ${THALWEG_OPENMPI_INCLUDE_DIR} --predefined ${THALWEG_OPENMPI_INCLUDE_DIR}/mpi.h)
endif()
if(THALWEG_MPICH_INCLUDE_DIR)
  thalweg_interposer(mpich ${THALWEG_MPICH_INCLUDE_DIR} --large-count)
endif()
if(THALWEG_MPIABI_INCLUDE_DIR)
  thalweg_interposer(mpiabi ${THALWEG_MPIABI_INCLUDE_DIR} --large-count)
endif()

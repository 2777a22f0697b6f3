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
    COMMAND ${CMAKE_COMMAND} -E touch ${outputs}
    DEPENDS ${source}/generate.py ${source}/functions.py)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${source}/*.cpp ${PROJECT_SOURCE_DIR}/src/transport/mpi/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/mpi/symbols/")
  set(window ${PROJECT_BINARY_DIR}/rooms/mpi)
  file(MAKE_DIRECTORY ${window})
  file(CREATE_LINK ${source} ${window}/mpi SYMBOLIC)

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
  target_include_directories(thalweg_${family} PRIVATE ${generated} ${window} ${PROJECT_SOURCE_DIR}/include)
  if(EXISTS ${source}/families/${family}/mpi.h)
    target_include_directories(thalweg_${family} PRIVATE ${source}/families/${family})
  endif()
  target_include_directories(thalweg_${family} SYSTEM PRIVATE ${include})
  target_link_libraries(thalweg_${family} PRIVATE
    thalweg_flags thalweg_engine thalweg_strategies fmt::fmt-header-only nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})
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

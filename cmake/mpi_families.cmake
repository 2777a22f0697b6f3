# SPDX-License-Identifier: BSD-3-Clause

# Families of MPI libraries that share a binary interface. What calls MPI is compiled once for each, with the header of
# the family's oldest library that is supported: room job's half over MPI here, the interposers in interposer.cmake.

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

# The rooms that call MPI through a table of its functions (transport/mpi/mpi_api.hpp), and so are the same in an
# interposer and in a library that is linked with MPI.
set(job_mpi_window ${PROJECT_BINARY_DIR}/rooms/job_mpi)
file(MAKE_DIRECTORY ${job_mpi_window}/transport ${job_mpi_window}/job)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/runtime/transport/mpi ${job_mpi_window}/transport/mpi SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/runtime/job/mpi ${job_mpi_window}/job/mpi SYMBOLIC)

function(thalweg_job_over_mpi family include)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/runtime/job/mpi/*.cpp
    ${PROJECT_SOURCE_DIR}/src/runtime/transport/mpi/*.cpp)
  add_library(thalweg_job_${family} STATIC ${sources})
  set_target_properties(thalweg_job_${family} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_definitions(thalweg_job_${family} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_include_directories(thalweg_job_${family} PUBLIC ${job_mpi_window})
  target_include_directories(thalweg_job_${family} SYSTEM PRIVATE ${include})
  if(family STREQUAL mpiabi)
    target_include_directories(thalweg_job_${family} PRIVATE ${PROJECT_SOURCE_DIR}/src/run/mpi/abi/families/mpiabi)
  endif()
  target_link_libraries(thalweg_job_${family} PRIVATE thalweg_flags PUBLIC thalweg_job)
  thalweg_precompile(thalweg_job_${family} job_${family})
endfunction()

if(THALWEG_OPENMPI_INCLUDE_DIR)
  thalweg_job_over_mpi(openmpi ${THALWEG_OPENMPI_INCLUDE_DIR})
endif()
if(THALWEG_MPICH_INCLUDE_DIR)
  thalweg_job_over_mpi(mpich ${THALWEG_MPICH_INCLUDE_DIR})
endif()
if(THALWEG_MPIABI_INCLUDE_DIR)
  thalweg_job_over_mpi(mpiabi ${THALWEG_MPIABI_INCLUDE_DIR})
endif()

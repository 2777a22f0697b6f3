# SPDX-License-Identifier: BSD-3-Clause
include_guard(GLOBAL)

# Every MPI library found becomes a target mpi_flavor_<name>, so that one build can hold the same program for several
# of them. What to compile and link with is asked from the library's own compiler wrapper (`-show`), because FindMPI
# settles on a single MPI per build. THALWEG_MPI_FLAVORS lists what was found; THALWEG_MPIRUN_<name> is the launcher
# that belongs to it.
set(THALWEG_MPI_FLAVORS "")
foreach(flavor openmpi mpich)
  find_program(THALWEG_MPICC_${flavor} mpicc.${flavor})
  find_program(THALWEG_MPIRUN_${flavor} mpirun.${flavor})
  if(NOT THALWEG_MPICC_${flavor} OR NOT THALWEG_MPIRUN_${flavor})
    message(STATUS "MPI flavor ${flavor}: not found")
    continue()
  endif()
  execute_process(COMMAND ${THALWEG_MPICC_${flavor}} -show OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${shown}")
  add_library(mpi_flavor_${flavor} INTERFACE)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      target_include_directories(mpi_flavor_${flavor} SYSTEM INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.+)")
      target_link_directories(mpi_flavor_${flavor} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l(.+)")
      target_link_libraries(mpi_flavor_${flavor} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-Wl,")
      target_link_options(mpi_flavor_${flavor} INTERFACE ${word})
    endif()
  endforeach()
  # The C++ bindings that old headers of Open MPI and MPICH would pull in are no part of MPI any more.
  target_compile_definitions(mpi_flavor_${flavor} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  list(APPEND THALWEG_MPI_FLAVORS ${flavor})
endforeach()

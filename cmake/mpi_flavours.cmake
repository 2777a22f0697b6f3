include_guard(GLOBAL)

# Every MPI library found becomes a target mpi_flavour_<name>, so that one build can hold the same program for several
# of them. What to compile and link with is asked from the library's own compiler wrapper (`-show`), because FindMPI
# settles on a single MPI per build. THALWEG_MPI_FLAVOURS lists what was found; THALWEG_MPIRUN_<name> is the launcher
# that belongs to it.
set(THALWEG_MPI_FLAVOURS "")
foreach(flavour openmpi mpich)
  find_program(THALWEG_MPICC_${flavour} mpicc.${flavour})
  find_program(THALWEG_MPIRUN_${flavour} mpirun.${flavour})
  if(NOT THALWEG_MPICC_${flavour} OR NOT THALWEG_MPIRUN_${flavour})
    message(STATUS "MPI flavour ${flavour}: not found")
    continue()
  endif()
  execute_process(COMMAND ${THALWEG_MPICC_${flavour}} -show OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${shown}")
  add_library(mpi_flavour_${flavour} INTERFACE)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      target_include_directories(mpi_flavour_${flavour} SYSTEM INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.+)")
      target_link_directories(mpi_flavour_${flavour} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l(.+)")
      target_link_libraries(mpi_flavour_${flavour} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-Wl,")
      target_link_options(mpi_flavour_${flavour} INTERFACE ${word})
    endif()
  endforeach()
  # The C++ bindings that old headers of Open MPI and MPICH would pull in are no part of MPI any more.
  target_compile_definitions(mpi_flavour_${flavour} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  list(APPEND THALWEG_MPI_FLAVOURS ${flavour})
endforeach()

# SPDX-License-Identifier: BSD-3-Clause

# thalweg_job_program(<room> <flavor> <source> [more sources...]): a program of thalweg_job_test, named by its first file.
function(thalweg_job_program room flavor source)
  cmake_path(GET source STEM name)
  set(program ${room}-${name}-${flavor})
  add_executable(${program} ${source} ${ARGN})
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests
                             ${PROJECT_SOURCE_DIR}/tests/${THALWEG_BUILDING})
  target_link_libraries(${program} PRIVATE thalweg_${room}_${flavor})
  if(source MATCHES "cpp$")
    target_link_libraries(${program} PRIVATE thalweg_flags)
    target_compile_options(${program} PRIVATE -O1 -g1)
    thalweg_precompile(${program} jobs)
  endif()
endfunction()

# thalweg_job_test(<room> <flavor> <name> <ranks> <expected> COMMAND <program> [arguments...] [ENVIRONMENT ...]): a test
# <room>.<name>.<ranks>.<flavor> that starts <room>-<program>-<flavor>, which has to end well and say what is expected.
# The gate leaves out jobs of more than seven ranks. On MPICH it leaves out those of more than three, whose ranks spin
# until it is their turn on a core.
function(thalweg_job_test room flavor name ranks expected)
  cmake_parse_arguments(TEST "" "" "COMMAND;ENVIRONMENT" ${ARGN})
  list(POP_FRONT TEST_COMMAND program)
  set(test ${room}.${name}.${ranks}.${flavor})
  set(oversubscribe "")
  if(flavor STREQUAL openmpi)
    set(oversubscribe --oversubscribe)
  endif()
  set(command ${THALWEG_MPIRUN_${flavor}} ${oversubscribe} -np ${ranks} $<TARGET_FILE:${room}-${program}-${flavor}>
    ${TEST_COMMAND})
  add_test(NAME ${test} COMMAND ${CMAKE_COMMAND} "-DCOMMAND=${command}" "-DEXPECTED=${expected}"
           -P ${PROJECT_SOURCE_DIR}/tests/says.cmake)
  set(labels ${THALWEG_BUILDING} mpi)
  get_target_property(for_releases ${room}-${program}-${flavor} EXCLUDE_FROM_ALL)
  if(for_releases OR ranks GREATER 7 OR (flavor STREQUAL mpich AND ranks GREATER 3))
    list(APPEND labels exhaustive)
  endif()
  set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT 120)
  set_property(TEST ${test} PROPERTY ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
               THALWEG_TUNING=off ${TEST_ENVIRONMENT})
endfunction()

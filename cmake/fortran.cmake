# SPDX-License-Identifier: BSD-3-Clause

# The module `thalweg` for programs in Fortran: libthalweg-fortran-<flavor>.so for each MPI library found, and files of
# modules, which are the same for all. They are for one version of one compiler, so that the sources are installed too.
include(CheckLanguage)
if(THALWEG_FORTRAN)
  check_language(Fortran)
endif()
if(NOT THALWEG_FORTRAN OR NOT CMAKE_Fortran_COMPILER)
  message(STATUS "No Fortran (Debian: gfortran): its module is left out")
  return()
endif()
enable_language(Fortran)

set(folder ${PROJECT_SOURCE_DIR}/src/api/fortran)
# In the order in which they need each other.
set(modules structures arrays functions teams streams)
list(TRANSFORM modules REPLACE "(.+)" "thalweg_\\1.f90")
list(APPEND modules thalweg.f90)
set(THALWEG_FORTRAN_MODULES ${CMAKE_INSTALL_INCLUDEDIR}/thalweg/fortran)
foreach(flavor IN LISTS THALWEG_MPI_FLAVORS)
  set(target thalweg_fortran_${flavor})
  list(TRANSFORM modules PREPEND ${folder}/ OUTPUT_VARIABLE sources)
  add_library(${target} SHARED ${sources} ${folder}/handles.c)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME thalweg-fortran-${flavor}
    EXPORT_NAME fortran_${flavor}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${THALWEG_SOVERSION}
    LINKER_LANGUAGE Fortran
    INSTALL_RPATH "\$ORIGIN"
    Fortran_MODULE_DIRECTORY ${PROJECT_BINARY_DIR}/fortran/${flavor})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:Fortran>:-std=f2008 -Wall -Wextra -Werror>
                                           $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic -Werror>)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/fortran/${flavor}>
                                              $<INSTALL_INTERFACE:${THALWEG_FORTRAN_MODULES}>)
  target_link_libraries(${target} PUBLIC thalweg_team_${flavor} thalweg_stream_${flavor})
  install(TARGETS ${target} EXPORT ThalwegTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  thalweg_pkg_config(thalweg-fortran-${flavor} thalweg-team-${flavor} thalweg-stream-${flavor} FLAGS -I\${includedir}/thalweg/fortran)

  # What programs in Fortran are compiled with, here; as in mpi_flavors.cmake.
  find_program(THALWEG_MPIFORT_${flavor} mpifort.${flavor})
  if(THALWEG_MPIFORT_${flavor})
    execute_process(COMMAND ${THALWEG_MPIFORT_${flavor}} -show OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE
                    COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(words UNIX_COMMAND "${shown}")
    add_library(mpi_fortran_${flavor} INTERFACE)
    foreach(word IN LISTS words)
      if(word MATCHES "^-I(.+)")
        target_include_directories(mpi_fortran_${flavor} INTERFACE ${CMAKE_MATCH_1})
      elseif(word MATCHES "^-L(.+)")
        target_link_directories(mpi_fortran_${flavor} INTERFACE ${CMAKE_MATCH_1})
      elseif(word MATCHES "^-l(.+)")
        target_link_libraries(mpi_fortran_${flavor} INTERFACE ${CMAKE_MATCH_1})
      endif()
    endforeach()
  endif()
endforeach()

list(GET THALWEG_MPI_FLAVORS 0 first)
install(DIRECTORY ${PROJECT_BINARY_DIR}/fortran/${first}/ DESTINATION ${THALWEG_FORTRAN_MODULES})
list(JOIN modules "\n" order)
file(WRITE ${PROJECT_BINARY_DIR}/fortran/order.txt "${order}\n")
install(FILES ${PROJECT_BINARY_DIR}/fortran/order.txt DESTINATION ${CMAKE_INSTALL_DATADIR}/thalweg/fortran)
install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/thalweg/fortran FILES_MATCHING PATTERN "*.f90" PATTERN "*.inc")

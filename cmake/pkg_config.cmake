# SPDX-License-Identifier: BSD-3-Clause

# thalweg_pkg_config(<library> [other libraries...] [FLAGS <of compiling>]): <library>.pc, with which
# `mpicxx program.cpp $(pkg-config --cflags --libs <library>)` makes a program that finds its library when it starts.
# One goes into the installation, one into the Python package, which has the headers and libraries too.
file(RELATIVE_PATH THALWEG_PC_INCLUDE
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})

function(thalweg_pkg_config library)
  cmake_parse_arguments(PC "" "FLAGS" "" ${ARGN})
  set(PC_NAME ${library})
  list(JOIN PC_UNPARSED_ARGUMENTS " " PC_REQUIRES)
  foreach(folder IN ITEMS installation python)
    set(PC_INCLUDE ../../include)
    set(PC_LIBRARY :lib${library}.so.${THALWEG_SOVERSION}) # a wheel has it under this name alone
    if(folder STREQUAL installation)
      set(PC_INCLUDE ${THALWEG_PC_INCLUDE})
      set(PC_LIBRARY ${library})
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/cmake/library.pc.in
      ${PROJECT_BINARY_DIR}/pkgconfig/${folder}/${library}.pc @ONLY)
  endforeach()
  install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/installation/${library}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

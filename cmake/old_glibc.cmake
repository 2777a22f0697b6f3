# SPDX-License-Identifier: BSD-3-Clause

# What is shipped runs with any C library from this version on, wherever it is built: it is linked with old versions of
# the C library's functions, and holds the C++ library.
set(default 2.28) # Red Hat 8, Debian 10, Ubuntu 20.04: PEP 600's manylinux_2_28
if(THALWEG_SANITIZE OR NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
  set(default "")
endif()
set(THALWEG_OLDEST_GLIBC "${default}" CACHE STRING "The oldest GNU C library to run with; empty: that of this machine")

# thalweg_stubs(): the libraries to link with, in old_glibc/, and missing.c and start.c beside them.
function(thalweg_stubs)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(source ${PROJECT_SOURCE_DIR}/cmake/old_glibc)
  set(folder ${PROJECT_BINARY_DIR}/old_glibc)
  set(libraries "")
  foreach(name libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${name} OUTPUT_VARIABLE path
      OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    if(IS_ABSOLUTE ${path})
      list(APPEND libraries ${path})
    endif()
  endforeach()
  execute_process(COMMAND ${Python3_EXECUTABLE} ${source}/stubs.py --output ${folder} --oldest ${THALWEG_OLDEST_GLIBC}
    ${libraries} OUTPUT_VARIABLE stubs OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  foreach(stub IN LISTS stubs)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -shared -nostdlib -Wl,-soname,${stub}
      -Wl,--version-script,${folder}/${stub}.map -o ${folder}/${stub} ${folder}/${stub}.s COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  foreach(name missing start)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -O2 -fPIC -c -o ${folder}/${name}.o ${source}/${name}.c
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(REMOVE ${folder}/libthalweg_missing.a)
  execute_process(COMMAND ${CMAKE_AR} rcs ${folder}/libthalweg_missing.a ${folder}/missing.o ${folder}/start.o
    COMMAND_ERROR_IS_FATAL ANY)
  # As the system's libc.so is, a text for the linker: what is not in the library itself is looked for beside it.
  list(FILTER stubs EXCLUDE REGEX "^libc.so|^libm.so")
  list(TRANSFORM stubs PREPEND ${folder}/)
  list(JOIN stubs " " others)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libc_nonshared.a OUTPUT_VARIABLE nonshared
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(WRITE ${folder}/libc.so
    "GROUP(${folder}/libthalweg_missing.a ${folder}/libc.so.6 ${nonshared} AS_NEEDED(${others}))\n")
  file(WRITE ${folder}/libm.so "INPUT(${folder}/libm.so.6)\n")
endfunction()

if(THALWEG_OLDEST_GLIBC)
  thalweg_stubs()
endif()

# thalweg_runs_anywhere(<target> [SHARED_UNWINDER]): it is shipped. Of the C++ library it holds what it calls.
# SHARED_UNWINDER: exceptions pass through others' functions on their way, as those of programs or of nanobind. They are
# found by the unwinder of the process then (libgcc_s.so.1, which is wherever there is a C++ library): with one of its
# own, the frames of others would be asked by the wrong one, which ends the process.
function(thalweg_runs_anywhere target)
  cmake_parse_arguments(PARSE_ARGV 1 option "SHARED_UNWINDER" "" "")
  set(unwinder -static-libgcc)
  if(option_SHARED_UNWINDER)
    set(unwinder -shared-libgcc)
  endif()
  target_link_options(${target} PRIVATE -static-libstdc++ ${unwinder} -Wl,--gc-sections)
  if(THALWEG_OLDEST_GLIBC)
    target_link_options(${target} PRIVATE -L${PROJECT_BINARY_DIR}/old_glibc -Wl,--allow-shlib-undefined)
  endif()
endfunction()

# SPDX-License-Identifier: BSD-3-Clause

# Compiling means parsing headers, most of all. Standard headers that almost every unit includes are parsed once for all targets that are compiled alike, which halves
# the time of a build. A unit still includes what it uses: tests/layering/test_includes.py compiles each without.
set(THALWEG_STANDARD_HEADERS
  algorithm array atomic bit charconv cstdint cstring functional map memory mutex numeric optional span string string_view
  unordered_map utility vector)

# thalweg_precompile(<target> <name of those compiled alike> [further headers...]): the first of a name compiles the
# headers, the others use them.
function(thalweg_precompile target alike)
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "") # a shared library's own, which would tell them apart
  get_property(owner GLOBAL PROPERTY THALWEG_PRECOMPILED_${alike})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    set(headers ${THALWEG_STANDARD_HEADERS} fmt/format.h ${ARGN})
    list(TRANSFORM headers PREPEND "$<$<COMPILE_LANGUAGE:CXX>:<")
    list(TRANSFORM headers APPEND "$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${headers})
    set_property(GLOBAL PROPERTY THALWEG_PRECOMPILED_${alike} ${target})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    # Caches of compilers' results have to see what was included.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endfunction()

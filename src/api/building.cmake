# SPDX-License-Identifier: BSD-3-Clause

# What programs call: include/thalweg. What needs no MPI are rooms; what calls it is a library for each MPI.
thalweg_building(api)

thalweg_room(stream PUBLIC_HEADERS stream_items.hpp stream_links.h error.hpp status.h USES boundary shm topology machine model evidence wait)
thalweg_room(objects USES model machine place pattern topology evidence base)
target_link_libraries(thalweg_objects PRIVATE thalweg_toml)

include(cmake/library.cmake)
include(cmake/runtime_libraries.cmake)
include(cmake/fortran.cmake)

# SPDX-License-Identifier: BSD-3-Clause

# Bytes that move, ranks that wait and agree, schedules that run, the tuning file. What calls MPI is compiled once for
# each family of libraries (cmake/mpi_families.cmake).
thalweg_building(runtime)

thalweg_room(wait USES base)
# Its functions are exported from every library with a C interface, so each takes its objects.
thalweg_room(boundary OBJECTS PUBLIC_HEADERS request.h version.h USES base)
thalweg_room(transport INTERFACE_ONLY USES wait base)
thalweg_room(shm FOLDER transport/shm USES transport)
thalweg_room(routed FOLDER transport/routed USES transport)
thalweg_room(aggregation FOLDER transport/aggregation USES transport)
thalweg_room(engine USES transport schedule)
# It vectorizes. GCC 12 crashes where headers were precompiled with another -O than a file has.
set_source_files_properties(src/runtime/engine/reductions.cpp PROPERTIES COMPILE_OPTIONS -O3 SKIP_PRECOMPILE_HEADERS ON)
thalweg_room(control USES engine strategies wait)
thalweg_room(tune USES strategies model evidence LIBRARIES Threads::Threads)
target_link_libraries(thalweg_tune PRIVATE thalweg_toml)
thalweg_room(job USES tune engine shm routed aggregation machine topology wait)

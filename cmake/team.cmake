# Teams: libthalweg-team-<flavor>.so for each MPI library found, as it calls that library by its own header.
# With it room job's table of the library that is linked.
file(GLOB team_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/team/*.cpp ${PROJECT_SOURCE_DIR}/src/job/linked/*.cpp)
set(team_window ${PROJECT_BINARY_DIR}/rooms/team)
file(MAKE_DIRECTORY ${team_window}/job)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/job/linked ${team_window}/job/linked SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/team ${team_window}/team SYMBOLIC)

foreach(flavor IN LISTS THALWEG_MPI_FLAVORS)
  add_library(thalweg_team_${flavor} SHARED ${team_sources})
  set_target_properties(thalweg_team_${flavor} PROPERTIES
    OUTPUT_NAME thalweg-team-${flavor}
    EXPORT_NAME team_${flavor}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(thalweg_team_${flavor} PRIVATE ${team_window} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # Who uses an installation has found his MPI by himself.
  target_link_libraries(thalweg_team_${flavor} PUBLIC $<BUILD_INTERFACE:mpi_flavor_${flavor}>
    PRIVATE thalweg_flags thalweg_boundary thalweg_job_${flavor} ${CMAKE_DL_LIBS})
  thalweg_precompile(thalweg_team_${flavor} teams)
  target_link_options(thalweg_team_${flavor} PRIVATE -Wl,--exclude-libs,ALL)
  install(TARGETS thalweg_team_${flavor} EXPORT ThalwegTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()

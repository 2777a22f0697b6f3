# SPDX-License-Identifier: BSD-3-Clause

# Collectives in the packet path: the protocol and a rank's side, which run and api use.
thalweg_building(nic)
thalweg_room(nic FOLDER . PUBLIC_HEADERS nic_operator.h USES schedule wait)

if(NOT THALWEG_NIC)
  return()
endif()

# The agent of a host and the programs that it loads into the kernel. Both are left out where clang or libbpf are
# missing: barriers on the network card then run on our engine, and everything else is built.
find_program(THALWEG_BPF_CLANG NAMES clang clang-19 clang-16 clang-14)
find_path(THALWEG_LIBBPF_INCLUDE_DIR bpf/libbpf.h)
find_library(THALWEG_LIBBPF bpf)
if(NOT THALWEG_BPF_CLANG OR NOT THALWEG_LIBBPF_INCLUDE_DIR OR NOT THALWEG_LIBBPF)
  message(STATUS "thalweg nic is left out: it needs clang and libbpf (Debian: apt install clang libbpf-dev)")
  return()
endif()

set(programs ${PROJECT_BINARY_DIR}/thalweg-nic-card.bpf.o)
set(source ${PROJECT_SOURCE_DIR}/src/nic/programs/card.bpf.c)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/nic/*.h ${PROJECT_SOURCE_DIR}/src/nic/programs/*.h
  ${PROJECT_SOURCE_DIR}/include/thalweg/nic_operator.h)
# <asm/types.h> is where the compiler's own headers are.
add_custom_command(OUTPUT ${programs}
  COMMAND ${THALWEG_BPF_CLANG} -O2 -g -mcpu=v3 -fno-builtin -target bpf -Wall -Wextra -Werror -I${PROJECT_SOURCE_DIR}/src
    -I${PROJECT_SOURCE_DIR}/include
    -I/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -I${THALWEG_LIBBPF_INCLUDE_DIR} -c ${source} -o ${programs}
  DEPENDS ${source} ${headers})
add_custom_target(thalweg_nic_programs ALL DEPENDS ${programs})

file(GLOB agent_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/nic/agent/*.cpp)
add_executable(thalweg_nic_agent ${agent_sources})
set_target_properties(thalweg_nic_agent PROPERTIES OUTPUT_NAME thalweg-nic-agent)
target_include_directories(thalweg_nic_agent SYSTEM PRIVATE ${THALWEG_LIBBPF_INCLUDE_DIR})
target_link_libraries(thalweg_nic_agent PRIVATE thalweg_flags thalweg_nic ${THALWEG_LIBBPF})
thalweg_runs_anywhere(thalweg_nic_agent)
thalweg_precompile(thalweg_nic_agent nic_agent)
install(TARGETS thalweg_nic_agent RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/thalweg)
install(FILES ${programs} DESTINATION ${CMAKE_INSTALL_LIBDIR}/thalweg)

# Units of systemd, one for each role: hosts, switches, routers, and hosts that aggregate for others. Only where it is
# installed, a unit knows what to start. A router's device may be lo, which systemd has no unit for.
function(thalweg_nic_unit role example text options)
  set(binds "")
  if(NOT role STREQUAL "-router")
    set(binds "BindsTo=sys-subsystem-net-devices-%i.device\nAfter=sys-subsystem-net-devices-%i.device")
  endif()
  install(CODE "
    set(UNIT_ROLE \"${role}\")
    set(UNIT_EXAMPLE \"@${example}\")
    set(UNIT_TEXT \"${text}\")
    set(UNIT_OPTIONS \"${options}\")
    set(UNIT_BINDS \"${binds}\")
    set(unit \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system/thalweg-nic${role}@.service\")
    configure_file(${PROJECT_SOURCE_DIR}/cmake/thalweg-nic@.service.in \"\$ENV{DESTDIR}\${unit}\" @ONLY)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${unit}\")" COMPONENT nic_units)
endfunction()
thalweg_nic_unit("" eth0 "of the network device" "--device")
thalweg_nic_unit(-switch br0 "on the switch" "--switch")
thalweg_nic_unit(-router lo "on the router with the address of" "--router")
thalweg_nic_unit(-aggregate eth0 "that aggregates for other hosts, on" "--aggregate --device")

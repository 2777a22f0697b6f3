# SPDX-License-Identifier: BSD-3-Clause

# Schedules as data, their proofs, machines, predictions and placements: neither MPI nor an operating system.
thalweg_building(core)

# Errors carry the statuses of the C interfaces: of the public headers, the rooms see that one alone.
thalweg_room(base PUBLIC_HEADERS status.h)
thalweg_room(evidence USES base)
thalweg_room(topology USES base)
thalweg_room(schedule USES base)
thalweg_room(strategies GROUPED USES schedule topology)
thalweg_room(machine USES base topology)
target_link_libraries(thalweg_machine PRIVATE thalweg_toml)
thalweg_room(model USES schedule machine topology)
# Simulations are to be the same bits everywhere: no multiplication becomes one with the addition behind it.
set_source_files_properties(
  src/core/model/flow_network.cpp src/core/model/flow_rates.cpp
  PROPERTIES COMPILE_OPTIONS -ffp-contract=off SKIP_PRECOMPILE_HEADERS ON)
thalweg_room(balance USES machine evidence base)
thalweg_room(pattern USES base)
thalweg_room(place USES machine topology pattern evidence base)

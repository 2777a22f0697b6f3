# SPDX-License-Identifier: BSD-3-Clause

# Programs that are played, by messages, shared links or packets.
thalweg_building(sim)

thalweg_room(packet FOLDER simulate/packet USES model topology base)
thalweg_room(simulate USES strategies model pattern packet)
# Simulations are to be the same bits everywhere, as those of room model.
set_source_files_properties(
  src/sim/simulate/message_costs.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off SKIP_PRECOMPILE_HEADERS ON)

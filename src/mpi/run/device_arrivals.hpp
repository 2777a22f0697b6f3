#pragma once

// Who came last to collectives on network devices, as these have seen it. No clocks of hosts are in it.

#include <cstdint>
#include <string>

namespace thalweg::mpi {

// Counts one call. `function`: MPI's name, which lives as long as the process. `waited_us`: how long its
// first rank waited for the last one, which has this number in the program's world.
void note_last_on_devices(const char* function, int rank, std::uint32_t waited_us);

// All that were counted, for the report: a JSON array, empty text where there are none.
std::string last_on_devices();
// Of each function the rank that was last most often, for people; empty likewise.
std::string last_on_devices_line();

} // namespace thalweg::mpi

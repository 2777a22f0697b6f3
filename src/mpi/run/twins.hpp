#pragma once

// The library's nonblocking twins of blocking collectives, made when a call must not wait inside of the
// library.

#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

// Makes the call through its twin and waits for it here. The same on all ranks.
int make_by_twin(const CollectiveCall& call);

// Has the call a twin that the library does right? Libraries have defects in nonblocking forms that the
// blocking ones do not have; those calls stay blocking. The same on all ranks.
bool has_sound_twin(const CollectiveCall& call, CommunicatorState& communicator);

} // namespace thalweg::mpi

#pragma once

// What is to run a call: the one place where those meet who have something to say of it.

#include "mpi/call/collective_call.hpp"
#include "mpi/choose/choice.hpp"
#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

// The user's choice (THALWEG_USE) comes first, then what this run learns, then the tuning file's pick; null
// where nobody has chosen. The same on all ranks of the communicator.
const Choice* decide(const CollectiveCall& call, CommunicatorState& communicator) noexcept;

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Splits the time in collectives into waiting for others and transferring.
//
// A call of a communicator ends its waiting when the last rank has come (or when it returns, if it needs not
// all). Of calls that every rank of the communicator sampled: waiting = min(last arrival, own exit) - own
// arrival.

#include <functional>
#include <span>

#include "mpi/observe/profile.hpp"

namespace thalweg::mpi::observe {

struct Participant {
  int world_rank;
  const SampledCommunicator* samples;
};

// `account(world_rank, row)` names where that rank's waiting goes. Participants are all ranks of one
// communicator; when some are missing nothing is accounted.
void match(std::span<const Participant> participants,
           const std::function<Waiting&(int, std::uint32_t)>& account);

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A collective call in the engine's words: which schedule operation it is, and its two buffers as units.

#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/run/buffer_binding.hpp"
#include "schedule/problem.hpp"

namespace thalweg::mpi {

struct CallBinding {
  schedule::Problem problem; // all but its parameters
  BufferBinding input;
  BufferBinding output;
  // The input lies in the output buffer and must be copied first where the strategy does not support that.
  bool in_place = false;
  // Bytes of units differ; elements of the canonical units where every rank knows them (allgatherv,
  // reduce_scatter).
  bool unequal = false;
  std::vector<std::int64_t> canonical_units = {};
  // For reductions: the element's type.
  MPI_Datatype type{};
};

// Is the call one that the library takes, as far as anything of ours would stumble over it? Else it must say
// what is wrong. Asked before all else: nothing may look at a handle of the program's before, for the library
// would call the program's error handlers for us.
bool is_sound(const CollectiveCall& call, CommunicatorState& communicator);

// Of a sound call: does the library take its buffers, too?
bool has_sound_buffers(const CollectiveCall& call, CommunicatorState& communicator);

// Why the engine cannot do the call, the same on all ranks, or nullptr.
const char* objection(const CollectiveCall& call, CommunicatorState& communicator);

CallBinding bind_call(const CollectiveCall& call, CommunicatorState& communicator);

} // namespace thalweg::mpi

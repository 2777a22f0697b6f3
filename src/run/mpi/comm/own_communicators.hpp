// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Communicators of our own: shadows of the program's for our channels, and one of this process alone.

#include "job/mpi/shadow_communicator.hpp"
#include "mpi/abi/native.hpp"

#include <cstdint>
#include <memory>

namespace thalweg::mpi {

// Shadow communicators for our channels: how many there may be, and how they are made without touching the
// error handlers of the program.

/// What shadow communicators are made over, where the library needs that; called by all ranks of the world.
void open_shadow_base();
/// Before MPI ends.
void close_shadow_base();

struct Shadow {
  std::shared_ptr<job::ShadowCommunicator> communicator; ///< none, and why
  const char* why_none = nullptr;
};

/// Makes the shadow of a communicator; called by all of its ranks, in a blocking call, and with the same
/// outcome on all of them. Where `id` is the same too, they agree on its name at once.
Shadow make_shadow(MPI_Comm comm, std::uint64_t id);
/// Of one that was made so, or of none.
void drop_shadow(std::shared_ptr<job::ShadowCommunicator> shadow);

// A communicator of this process alone, under which the library is asked about handles of the program. It
// returns errors: what is asked on the program's behalf never goes through the program's error handlers.

/// Makes it where MPI_COMM_SELF exists; frees it before MPI ends.
void open_own_communicator();
void close_own_communicator();

/// MPI_COMM_NULL where there is none: with sessions alone, and while MPI ends.
MPI_Comm own_communicator();

/// Is the handle a communicator's? Says so for all that the library would take, and calls no error handler.
/// Only handles that are not known yet come here.
bool is_communicator(MPI_Comm comm);

} // namespace thalweg::mpi

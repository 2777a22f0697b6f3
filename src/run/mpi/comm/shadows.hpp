// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Shadow communicators for our channels: how many there may be, and how they are made without touching the
// error handlers of the program.

#include <cstdint>
#include <memory>

#include "job/mpi/shadow_communicator.hpp"
#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

// What shadow communicators are made over, where the library needs that; called by all ranks of the world.
void open_shadow_base();
// Before MPI ends.
void close_shadow_base();

struct Shadow {
  std::shared_ptr<job::ShadowCommunicator> communicator; // none, and why
  const char* why_none = nullptr;
};

// Makes the shadow of a communicator; called by all of its ranks, in a blocking call, and with the same
// outcome on all of them. Where `id` is the same too, they agree on its name at once.
Shadow make_shadow(MPI_Comm comm, std::uint64_t id);
// Of one that was made so, or of none.
void drop_shadow(std::shared_ptr<job::ShadowCommunicator> shadow);

} // namespace thalweg::mpi

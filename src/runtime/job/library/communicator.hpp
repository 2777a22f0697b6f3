// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "job/mpi/shadow_communicator.hpp"

#include <memory>
#include <mpi.h>
#include <string_view>

namespace thalweg::job {

/// A duplicate of a program's communicator, for a "team" or a "stream" of its ranks. Collective. Throws Error
/// for what could not be duplicated. On MPICH the library itself ends the program over that, where errors on
/// the communicator are fatal.
std::shared_ptr<ShadowCommunicator> duplicate(MPI_Comm communicator, std::string_view user);

} // namespace thalweg::job

#pragma once

#include "job/mpi/shadow_communicator.hpp"

#include <memory>
#include <mpi.h>
#include <string_view>

namespace thalweg::job {

/// A duplicate of a program's communicator, for a "team" or a "stream" of its ranks. Collective. Throws Error
/// for what could not be duplicated, as the MPI library would end the program over it.
std::shared_ptr<ShadowCommunicator> duplicate(MPI_Comm communicator, std::string_view user);

} // namespace thalweg::job

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Arguments of point-to-point calls that the library takes, as far as a look tells. Calls with others are
// made as they are, so that the library names them where it says what is wrong.

#include <cstdint>

#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

// `peer`: the rank that sends or receives.
bool is_sound_message(std::int64_t count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm);

} // namespace thalweg::mpi

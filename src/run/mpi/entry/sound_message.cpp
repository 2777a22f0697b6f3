// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/sound_message.hpp"

#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

bool is_sound_message(std::int64_t count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm) {
  if (count < 0 || datatype == MPI_DATATYPE_NULL || (tag < 0 && tag != MPI_ANY_TAG)) {
    return false;
  }
  const CommunicatorState* const communicator = find_communicator(comm);
  if (communicator == nullptr) {
    return false;
  }
  const int ranks = communicator->inter ? communicator->remote_size : communicator->size;
  return peer == MPI_PROC_NULL || peer == MPI_ANY_SOURCE || (peer >= 0 && peer < ranks);
}

} // namespace thalweg::mpi

#pragma once

// Which buffers of a call the library wants to be there, and apart from each other. MPICH refuses calls
// without them; other libraries take them as they are, so nothing is judged for those.

#include "mpi/call/collective_call.hpp"

namespace thalweg::mpi {

struct BufferNeeds {
  bool send = false;
  bool receive = false;
  bool apart = false;

  bool are_met(const void* sendbuf, const void* recvbuf) const {
    return !(send && sendbuf == nullptr) && !(receive && recvbuf == nullptr) &&
           !(apart && sendbuf == recvbuf);
  }
};

BufferNeeds buffer_needs(const CollectiveCall& call, int rank);

} // namespace thalweg::mpi

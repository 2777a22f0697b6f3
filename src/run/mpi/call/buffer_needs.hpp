// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which buffers of a call the library wants to be there, and apart from each other. MPICH and its kin refuse
// calls without them; Open MPI takes them as they are, but for those of two reductions.

#include "mpi/call/sides.hpp"

#include <cstddef>

namespace thalweg::mpi {

struct BufferNeeds {
  bool send = false;
  bool receive = false;
  bool apart = false; ///< what lies so far into the buffers does
  std::ptrdiff_t send_offset = 0;
  std::ptrdiff_t receive_offset = 0;

  bool are_met(const void* sendbuf, const void* recvbuf) const {
    return !(send && sendbuf == nullptr) && !(receive && recvbuf == nullptr) &&
           !(apart && static_cast<const std::byte*>(sendbuf) + send_offset ==
                          static_cast<const std::byte*>(recvbuf) + receive_offset);
  }
};

/// Of a call whose types and counts are right.
BufferNeeds buffer_needs(const CollectiveCall& call, const CallRanks& ranks);

} // namespace thalweg::mpi

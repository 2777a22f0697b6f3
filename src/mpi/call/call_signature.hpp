#pragma once

// What tells one call of a function from another, but for the addresses of its buffers.

#include "mpi/call/collective_call.hpp"

namespace thalweg::mpi {

struct CallSignature {
  MPI_Comm comm{};
  MPI_Count sendcount = 0;
  MPI_Count recvcount = 0;
  MPI_Datatype sendtype{};
  MPI_Datatype recvtype{};
  MPI_Op op{};
  int root = 0;
  bool in_place = false;

  bool operator==(const CallSignature&) const = default;
};

inline CallSignature signature_of(const CollectiveCall& call) {
  return {.comm = call.comm,
          .sendcount = call.sendcount,
          .recvcount = call.recvcount,
          .sendtype = call.sendtype,
          .recvtype = call.recvtype,
          .op = call.op,
          .root = call.root,
          .in_place = call.sendbuf == MPI_IN_PLACE};
}

} // namespace thalweg::mpi

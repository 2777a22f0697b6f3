#include "mpi/call/buffer_needs.hpp"

#include "mpi/call/datatypes.hpp"
#include "mpi/call/exactness.hpp"

namespace thalweg::mpi {

namespace {

// Derived types may lie at absolute addresses, from MPI_BOTTOM.
bool is_wanted(MPI_Count count, MPI_Datatype type) {
  return count > 0 && is_predefined_type(type);
}

} // namespace

BufferNeeds buffer_needs(const CollectiveCall& call, int rank) {
  if (own_family != Family::mpich)
    return {};
  const bool is_root = call.root == rank;
  switch (call.function->operation) {
  case Operation::bcast:
    return {.receive = is_wanted(call.recvcount, call.recvtype)};
  case Operation::gather:
    return {.send = is_wanted(call.sendcount, call.sendtype),
            .receive = is_root && is_wanted(call.recvcount, call.recvtype)};
  case Operation::scatter:
    return {.send = is_root && is_wanted(call.sendcount, call.sendtype),
            .receive = is_wanted(call.recvcount, call.recvtype)};
  case Operation::allgather:
  case Operation::alltoall:
    return {.send = !is_in_place(call) && is_wanted(call.sendcount, call.sendtype),
            .receive = is_wanted(call.recvcount, call.recvtype)};
  case Operation::reduce:
  case Operation::allreduce:
  case Operation::reduce_scatter_block:
  case Operation::scan:
  case Operation::exscan: {
    const bool has_result = call.function->operation != Operation::reduce || is_root;
    const bool any = is_wanted(call.recvcount, call.recvtype);
    return {.send = any, .receive = any && has_result, .apart = call.recvcount > 0 && has_result};
  }
  default:
    return {};
  }
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/nonblocking_counterpart.hpp"

#include "mpi/call/datatypes.hpp"
#include "mpi/call/sides.hpp"
#include "mpi/run/neighbors.hpp"
#include "mpi/wait/polling.hpp"

#include <vector>

namespace thalweg::mpi {

namespace {

#if defined(THALWEG_FAMILY_OPENMPI)
constexpr bool is_mpich_family = false;
#else
constexpr bool is_mpich_family = true;
#endif

// MPICH's large MPI_Iallgatherv returns wrong data, so every rank's block is broadcast instead, all at once.
int allgatherv_by_broadcasts(const CollectiveCall& call) {
  int rank = 0;
  int size = 0;
  native.Comm_rank(call.comm, &rank);
  native.Comm_size(call.comm, &size);
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  native.Type_get_extent(call.recvtype, &low, &extent);
  const auto block = [&](int r) {
    return static_cast<std::byte*>(call.recvbuf) + call.recvdispls[static_cast<std::size_t>(r)] * extent;
  };
  const auto count = [&](int r) { return static_cast<int>(call.recvcounts[static_cast<std::size_t>(r)]); };
  int code = MPI_SUCCESS;
  if (!is_in_place(call)) {
    // Not by a message to oneself: the program may have posted a receive for any.
    MPI_Count size_of_one = 0;
    native.Type_size_x(call.sendtype, &size_of_one);
    std::vector<std::byte> row(static_cast<std::size_t>(call.sendcount * size_of_one) + 1);
    code = pack(static_cast<const std::byte*>(call.sendbuf), call.sendcount, call.sendtype, row.data());
    code = code == MPI_SUCCESS ? unpack(row.data(), block(rank), count(rank), call.recvtype) : code;
  }
  std::vector<MPI_Request> requests(static_cast<std::size_t>(size), MPI_REQUEST_NULL);
  for (int r = 0; r < size && code == MPI_SUCCESS; ++r) {
    code = native.Ibcast(block(r), count(r), call.recvtype, r, call.comm,
                         &requests[static_cast<std::size_t>(r)]);
  }
  for (MPI_Request& request : requests) {
    const int waited = request == MPI_REQUEST_NULL ? MPI_SUCCESS : poll_request(&request, MPI_STATUS_IGNORE);
    code = code == MPI_SUCCESS ? waited : code;
  }
  return code;
}

bool fits_broadcasts(const CollectiveCall& call, const CommunicatorState& communicator) {
  for (int r = 0; r < communicator.size; ++r) {
    const std::int64_t count = call.recvcounts[static_cast<std::size_t>(r)];
    if (count < 0 || count > INT32_MAX) {
      return false;
    }
  }
  return true;
}

// Some of MPICH's nonblocking forms abort for 2^31 bytes and more. Only of calls whose ranks know how many
// there are.
bool is_too_long(const CollectiveCall& call, const CommunicatorState& communicator) {
  if (!is_mpich_family || communicator.inter || call.recvtype == MPI_DATATYPE_NULL)
    return false;
  const Sides sides = sides_of(call, ranks_of(communicator));
  switch (schedule_operation(call.function->operation)) {
  case schedule::Operation::broadcast:
  case schedule::Operation::reduce:
  case schedule::Operation::allreduce:
  case schedule::Operation::scan:
  case schedule::Operation::exscan:
  case schedule::Operation::allgather:
  case schedule::Operation::reduce_scatter:
    return sides.of_blocks().bytes() > INT32_MAX;
  default:
    return false;
  }
}

} // namespace

bool has_sound_counterpart(const CollectiveCall& call, CommunicatorState& communicator) {
  if (call.function->start == nullptr) {
    return false;
  }
  // Open MPI's nonblocking reductions do not know a GPU's memory, which its blocking ones do.
  if (runtime.gpu.leaves_data && call.function->operation != Operation::barrier) {
    return false;
  }
  if (is_too_long(call, communicator)) {
    return false;
  }
  switch (call.function->operation) {
  case Operation::alltoallv:
  case Operation::alltoallw:
    return !is_in_place(call); // leave messages unmatched, in Open MPI and MPICH
  case Operation::bcast:
    return !(is_mpich_family && communicator.inter); // does not reach the remote group
  case Operation::allgatherv:
    return !is_mpich_family || (!communicator.inter && fits_broadcasts(call, communicator));
  case Operation::reduce:
  case Operation::allreduce:
  case Operation::reduce_scatter:
  case Operation::reduce_scatter_block:
  case Operation::scan:
  case Operation::exscan:
    // Open MPI's nonblocking reductions write beside elements that reach outside of their extent.
    return call.recvtype == MPI_DATATYPE_NULL || are_elements_regular(call.recvtype);
  case Operation::neighbor_alltoall:
  case Operation::neighbor_alltoallv:
  case Operation::neighbor_alltoallw:
    // There, nonblocking forms take the messages of both directions for each other's.
    return !is_short_ring(communicator);
  default:
    return true;
  }
}

int call_by_counterpart(const CollectiveCall& call) {
  if (is_mpich_family && call.function->operation == Operation::allgatherv) {
    return allgatherv_by_broadcasts(call);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = call.function->start(call, &request);
  return code == MPI_SUCCESS ? poll_request(&request, MPI_STATUS_IGNORE) : code;
}

} // namespace thalweg::mpi

#include "mpi/call/datatypes.hpp"

#include "mpi/comm/own_communicator.hpp"

namespace thalweg::mpi {

namespace {

std::uint64_t sum(const IntegerArray& counts, int length) {
  std::int64_t total = 0;
  for (int index = 0; counts && index < length; ++index) {
    total += counts[static_cast<std::size_t>(index)];
  }
  return static_cast<std::uint64_t>(total);
}

std::uint64_t sum(const IntegerArray& counts, const MPI_Datatype* types, int length) {
  std::uint64_t total = 0;
  for (int index = 0; counts && index < length; ++index) {
    const auto place = static_cast<std::size_t>(index);
    total += bytes_of(counts[place], types[place]);
  }
  return total;
}

} // namespace

bool is_valid_type(MPI_Datatype datatype) {
  if (datatype == MPI_DATATYPE_NULL)
    return false;
  const MPI_Comm own = own_communicator();
  if (is_size_known(datatype) || own == MPI_COMM_NULL)
    return true;
  const char unread = 0; // MPICH does not look at the datatype of no elements
  return native.Send(&unread, 1, datatype, MPI_PROC_NULL, 0, own) == MPI_SUCCESS;
}

bool is_predefined_type(MPI_Datatype datatype) {
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  int combiner = 0;
  return datatype != MPI_DATATYPE_NULL &&
         native.Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED;
}

std::uint64_t ask_datatype_bytes(MPI_Datatype datatype) {
  if (!is_valid_type(datatype)) {
    return 0;
  }
  MPI_Count size = 0;
  if (native.Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0) {
    return 0;
  }
  if (is_predefined_type(datatype)) {
    PerThread<CachedSizes>::own()[cached_size_place(datatype)] = {datatype, static_cast<std::uint64_t>(size),
                                                                  true};
  }
  return static_cast<std::uint64_t>(size);
}

bool are_elements_regular(MPI_Datatype type) {
  if (!is_valid_type(type))
    return true; // the library says what is wrong with it, by whatever form
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_low = 0;
  MPI_Aint true_extent = 0;
  native.Type_get_extent(type, &low, &extent);
  native.Type_get_true_extent(type, &true_low, &true_extent);
  return low == 0 && true_low >= 0 && extent > 0 && true_low + true_extent <= extent;
}

std::uint64_t payload_bytes(const CollectiveCall& call, CommunicatorState& communicator) {
  const bool in_place = is_in_place(call);
  const int others = communicator.inter ? communicator.remote_size : communicator.size;
  const bool is_root = communicator.inter ? call.root == MPI_ROOT : call.root == communicator.rank;
  const bool left_out = communicator.inter && call.root == MPI_PROC_NULL;
  switch (call.function->operation) {
  case Operation::barrier:
    return 0;
  case Operation::bcast:
    return left_out ? 0 : bytes_of(call.sendcount, call.sendtype);
  case Operation::gather:
  case Operation::gatherv:
    if (is_root) {
      return call.recvcounts ? sum(call.recvcounts, others) * datatype_bytes(call.recvtype)
                             : bytes_of(call.recvcount * others, call.recvtype);
    }
    return left_out ? 0 : bytes_of(call.sendcount, call.sendtype);
  case Operation::scatter:
  case Operation::scatterv:
    if (is_root) {
      return call.sendcounts ? sum(call.sendcounts, others) * datatype_bytes(call.sendtype)
                             : bytes_of(call.sendcount * others, call.sendtype);
    }
    return left_out ? 0 : bytes_of(call.recvcount, call.recvtype);
  case Operation::allgather:
    return in_place ? bytes_of(call.recvcount, call.recvtype) : bytes_of(call.sendcount, call.sendtype);
  case Operation::allgatherv:
    return in_place ? bytes_of(call.recvcounts[static_cast<std::size_t>(communicator.rank)], call.recvtype)
                    : bytes_of(call.sendcount, call.sendtype);
  case Operation::alltoall:
    return in_place ? bytes_of(call.recvcount * others, call.recvtype)
                    : bytes_of(call.sendcount * others, call.sendtype);
  case Operation::alltoallv:
    return in_place ? sum(call.recvcounts, others) * datatype_bytes(call.recvtype)
                    : sum(call.sendcounts, others) * datatype_bytes(call.sendtype);
  case Operation::alltoallw:
    return in_place ? sum(call.recvcounts, call.recvtypes, others)
                    : sum(call.sendcounts, call.sendtypes, others);
  case Operation::reduce:
    return left_out ? 0 : bytes_of(call.sendcount, call.sendtype);
  case Operation::allreduce:
  case Operation::scan:
  case Operation::exscan:
    return bytes_of(call.sendcount, call.sendtype);
  case Operation::reduce_scatter:
    return sum(call.recvcounts, communicator.size) * datatype_bytes(call.recvtype);
  case Operation::reduce_scatter_block:
    return bytes_of(call.recvcount * communicator.size, call.recvtype);
  case Operation::neighbor_allgather:
  case Operation::neighbor_allgatherv:
    return bytes_of(call.sendcount, call.sendtype);
  case Operation::neighbor_alltoall:
    return bytes_of(call.sendcount * communicator.outdegree(), call.sendtype);
  case Operation::neighbor_alltoallv:
    return sum(call.sendcounts, communicator.outdegree()) * datatype_bytes(call.sendtype);
  case Operation::neighbor_alltoallw:
    return sum(call.sendcounts, call.sendtypes, communicator.outdegree());
  }
  return 0;
}

} // namespace thalweg::mpi

#include "mpi/learn/traffic_of.hpp"

#include "mpi/call/datatypes.hpp"

namespace thalweg::mpi {

namespace {

void add_message(pattern::Traffic& traffic, MPI_Count count, MPI_Datatype type) {
  const auto bytes = static_cast<std::int64_t>(bytes_of(count, type));
  traffic += {bytes > 0 ? 1 : 0, bytes};
}

} // namespace

pattern::Traffic traffic_of(const CollectiveCall& call, const CommunicatorState& communicator) {
  pattern::Traffic traffic;
  const Operation operation = call.function->operation;
  const bool in_place = is_in_place(call);
  if (operation == Operation::gatherv) {
    if (communicator.rank != call.root)
      add_message(traffic, call.sendcount, call.sendtype);
    return traffic;
  }
  if (operation == Operation::scatterv && communicator.rank != call.root)
    return traffic;
  // In place, ranks send what they receive.
  const IntegerArray& counts = in_place ? call.recvcounts : call.sendcounts;
  const MPI_Datatype* types = in_place ? call.recvtypes : call.sendtypes;
  const MPI_Datatype type = in_place ? call.recvtype : call.sendtype;
  for (int rank = 0; rank < communicator.size; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (rank != communicator.rank)
      add_message(traffic, counts[index], types == nullptr ? type : types[index]);
  }
  return traffic;
}

} // namespace thalweg::mpi

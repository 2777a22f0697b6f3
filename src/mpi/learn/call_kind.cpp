#include "mpi/learn/call_kind.hpp"

#include "mpi/call/exactness.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "pattern/traffic.hpp"

namespace thalweg::mpi {

bool has_private_sizes(Operation operation) {
  switch (operation) {
  case Operation::gatherv:
  case Operation::scatterv:
  case Operation::alltoallv:
  case Operation::alltoallw:
    return true;
  default:
    return false;
  }
}

std::optional<CallKind> kind_of(const CollectiveCall& call, const CommunicatorState& communicator) {
  const Operation operation = call.function->operation;
  if (call.function->mode != Mode::blocking || !communicator.agreed || communicator.inter ||
      communicator.size == 1 || operation >= Operation::neighbor_allgather)
    return std::nullopt;
  CallKind kind{.operation = operation};
  if (is_reduction(operation)) {
    if (call.op == MPI_OP_NULL)
      return std::nullopt;
    kind.commutative = is_commutative(call.op);
    kind.exact = is_exact(call);
  }
  kind.is_private = has_private_sizes(operation);
  kind.bytes = kind.is_private ? -1 : agreed_unit_bytes(call, communicator);
  kind.size = pattern::size_class(kind.bytes);
  return kind;
}

} // namespace thalweg::mpi

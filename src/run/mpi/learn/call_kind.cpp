// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/call_kind.hpp"

#include "mpi/call/exactness.hpp"
#include "mpi/call/operation_shape.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "pattern/traffic.hpp"

namespace thalweg::mpi {

std::optional<CallKind> kind_of(const CollectiveCall& call, CommunicatorState& communicator) {
  const Operation operation = call.function->operation;
  if (call.function->mode != Mode::blocking || !communicator.agreed || communicator.inter ||
      communicator.size == 1 || is_among_neighbors(operation))
    return std::nullopt;
  CallKind kind{.operation = operation};
  if (is_reduction(operation)) {
    if (call.op == MPI_OP_NULL)
      return std::nullopt;
    kind.commutative = is_commutative(call.op);
    kind.exact = is_exact(call);
  }
  kind.is_private = !operation_shape(operation).are_sizes_agreed;
  kind.bytes = kind.is_private ? -1 : agreed_unit_bytes(call, communicator);
  kind.size = pattern::size_class(kind.bytes);
  return kind;
}

} // namespace thalweg::mpi

#include "mpi/learning/kind.hpp"

#include <algorithm>
#include <array>

#include "mpi/runner/tuned_choices.hpp"
#include "pattern/traffic.hpp"

namespace thalweg::mpi {

namespace {

template <class Handle, std::size_t count>
bool is_one_of(Handle handle, const std::array<Handle, count>& handles) {
  return std::ranges::find(handles, handle) != handles.end();
}

bool is_rounding_free(MPI_Op op) {
  return is_one_of(op, std::array{MPI_MAX, MPI_MIN, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR,
                                  MPI_MAXLOC, MPI_MINLOC});
}

bool is_whole_number(MPI_Datatype type) {
  return is_one_of(type, std::array{MPI_INT, MPI_LONG, MPI_LONG_LONG_INT, MPI_UNSIGNED, MPI_UNSIGNED_LONG,
                                    MPI_UNSIGNED_LONG_LONG, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR,
                                    MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T,
                                    MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_INTEGER,
                                    MPI_COUNT, MPI_AINT, MPI_OFFSET});
}

// Sums of floating-point numbers depend on the order of the operands, but for two of them.
void judge_reduction(const CollectiveCall& call, const CommunicatorState& communicator, Kind& kind) {
  const bool sums = call.op == MPI_SUM || call.op == MPI_PROD;
  if (sums || is_rounding_free(call.op)) {
    kind.exact = !sums || communicator.size == 2 || is_whole_number(call.recvtype);
    return;
  }
  int commutes = 0;
  native.Op_commutative(call.op, &commutes);
  kind.commutative = commutes != 0;
  kind.exact = false;
}

bool is_reduction(Operation operation) {
  switch (operation) {
  case Operation::reduce:
  case Operation::allreduce:
  case Operation::reduce_scatter:
  case Operation::reduce_scatter_block:
  case Operation::scan:
  case Operation::exscan:
    return true;
  default:
    return false;
  }
}

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

} // namespace

std::optional<Kind> kind_of(const CollectiveCall& call, const CommunicatorState& communicator) {
  const Operation operation = call.form->operation;
  if (call.form->mode != Mode::blocking || !communicator.agreed || communicator.inter ||
      communicator.size == 1 || operation >= Operation::neighbor_allgather)
    return std::nullopt;
  Kind kind{.operation = operation};
  if (is_reduction(operation)) {
    if (call.op == MPI_OP_NULL)
      return std::nullopt;
    judge_reduction(call, communicator, kind);
  }
  kind.is_private = has_private_sizes(operation);
  kind.bytes = kind.is_private ? -1 : agreed_unit_bytes(call, communicator);
  kind.size = pattern::size_class(kind.bytes);
  return kind;
}

} // namespace thalweg::mpi

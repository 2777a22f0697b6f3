#include "mpi/call/exactness.hpp"

#include <algorithm>
#include <array>

#include "mpi/call/schedule_operation.hpp"

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
  return is_one_of(type, std::array{MPI_INT,           MPI_LONG,           MPI_LONG_LONG_INT,
                                    MPI_UNSIGNED,      MPI_UNSIGNED_LONG,  MPI_UNSIGNED_LONG_LONG,
                                    MPI_SHORT,         MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR,
                                    MPI_UNSIGNED_CHAR, MPI_INT8_T,         MPI_INT16_T,
                                    MPI_INT32_T,       MPI_INT64_T,        MPI_UINT8_T,
                                    MPI_UINT16_T,      MPI_UINT32_T,       MPI_UINT64_T,
                                    MPI_INTEGER,       MPI_COUNT,          MPI_AINT,
                                    MPI_OFFSET});
}

} // namespace

bool is_reduction(Operation operation) {
  return schedule::is_reduction(schedule_operation(operation));
}

bool is_predefined_operation(MPI_Op op) {
  return op == MPI_SUM || op == MPI_PROD || is_rounding_free(op);
}

bool is_commutative(MPI_Op op) {
  if (is_predefined_operation(op))
    return true;
  int commutes = 0;
  native.Op_commutative(op, &commutes);
  return commutes != 0;
}

bool is_exact(const CollectiveCall& call, const CommunicatorState& communicator) {
  if (!is_reduction(call.function->operation) || is_rounding_free(call.op))
    return true;
  const bool sums = call.op == MPI_SUM || call.op == MPI_PROD;
  return sums && (communicator.size == 2 || is_whole_number(call.recvtype));
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/valid_reductions.hpp"

#include <array>

#include "base/per_thread.hpp"
#include "mpi/call/datatypes.hpp"
#include "mpi/call/exactness.hpp"
#include "mpi/comm/own_communicator.hpp"

namespace thalweg::mpi {

namespace {

// Of predefined handles, which are never given to others, as a thread has asked for them lately.
struct Reduction {
  MPI_Op op{};
  MPI_Datatype type{};
  bool is_valid = false;

  bool operator==(const Reduction&) const = default;
  std::size_t place() const {
    const auto bits = static_cast<std::uint64_t>((std::uintptr_t)(type)) * 0x9E3779B97F4A7C15U +
                      static_cast<std::uint64_t>((std::uintptr_t)(op));
    return (bits * 0x9E3779B97F4A7C15U) >> 60;
  }
};
using Reductions = std::array<Reduction, 16>;

} // namespace

bool is_valid_reduction(MPI_Op op, MPI_Datatype datatype) {
  if (op == MPI_OP_NULL || datatype == MPI_DATATYPE_NULL)
    return false;
  const MPI_Comm own = own_communicator();
  const Reduction asked{op, datatype, true};
  if (own == MPI_COMM_NULL || PerThread<Reductions>::here()[asked.place()] == asked)
    return true;
  if (!is_valid_type(datatype))
    return false;
  const char nothing = 0;
  char result = 0;
  if (native.Allreduce(&nothing, &result, 0, datatype, op, own) != MPI_SUCCESS)
    return false;
  if (is_predefined_operation(op) && is_predefined_type(datatype))
    PerThread<Reductions>::own()[asked.place()] = asked;
  return true;
}

} // namespace thalweg::mpi

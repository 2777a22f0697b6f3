#pragma once

// What MPI libraries run by themselves, as far as a strategy of ours is like it.

#include "schedule/operation.hpp"

#include <cstdint>

namespace thalweg::strategies {

using schedule::Operation;

/// What Open MPI and MPICH do by default, by size; their limits differ from each other and from release to
/// release, and these lie between. `bytes` are those of a rank's share, of broadcasts and reductions of the
/// whole vector. Not for neighborhood collectives.
inline const char* likely_strategy(Operation operation, std::uint64_t bytes, int ranks) {
  constexpr std::uint64_t kib = 1024;
  const std::uint64_t everything = bytes * static_cast<std::uint64_t>(ranks);
  switch (operation) {
  case Operation::barrier:
    return "dissemination";
  case Operation::broadcast:
    return bytes <= 12 * kib ? "knomial" : "scatter_allgather";
  case Operation::allgather:
    return everything <= 80 * kib ? "bruck" : "ring";
  case Operation::allreduce:
    return bytes <= 10 * kib ? "recursive_doubling" : "ring";
  case Operation::reduce_scatter:
    return bytes <= 512 * kib ? "recursive_halving" : "ring";
  case Operation::scan:
  case Operation::exscan:
    return "recursive_doubling";
  case Operation::alltoall:
    return "cyclic";
  default:
    return "knomial"; // reduce, gather, scatter
  }
}

} // namespace thalweg::strategies

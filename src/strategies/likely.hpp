#pragma once

// What MPI libraries run by themselves, as far as a strategy of ours is like it.

#include "schedule/operation.hpp"

#include <bit>
#include <cstdint>

namespace thalweg::strategies {

using schedule::Operation;

enum class MpiLibrary : std::uint8_t { open_mpi, mpich };

/// An all-gather of so many bytes a rank, as Open MPI has done it since 4.1, and MPICH since 3.2.
inline const char* likely_allgather(std::uint64_t bytes, int ranks, MpiLibrary library) {
  constexpr std::uint64_t kib = 1024;
  const bool is_cube = std::has_single_bit(static_cast<unsigned>(ranks));
  const char* const short_blocks = is_cube ? "hypercube" : "bruck";
  if (library == MpiLibrary::open_mpi) {
    if (ranks < 32 || bytes < kib)
      return short_blocks;
    return bytes < 64 * kib && ranks % 2 == 0 ? "neighbor_exchange" : "ring";
  }
  const std::uint64_t everything = bytes * static_cast<std::uint64_t>(ranks);
  return everything < (is_cube ? 512 : 80) * kib ? short_blocks : "ring";
}

/// What Open MPI and MPICH do by default, by size; but for all-gathers, their limits differ from each other
/// and from release to release, and these lie between. `bytes` are those of a rank's share, of broadcasts and
/// reductions of the whole vector. Not for neighborhood collectives.
inline const char* likely_strategy(Operation operation, std::uint64_t bytes, int ranks,
                                   MpiLibrary library = MpiLibrary::mpich) {
  constexpr std::uint64_t kib = 1024;
  switch (operation) {
  case Operation::barrier:
    return "dissemination";
  case Operation::broadcast:
    return bytes <= 12 * kib ? "knomial" : "scatter_allgather";
  case Operation::allgather:
    return likely_allgather(bytes, ranks, library);
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

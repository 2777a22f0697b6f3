// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What MPI libraries run by themselves, as far as a strategy of ours is like it.

#include "schedule/problem.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

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

/// The same with a count for each rank: `bytes` are the mean. Open MPI has a table of its own since 4.1.
/// Where it gathers and broadcasts short blocks, Bruck's is the nearest of ours. MPICH asks as for an
/// all-gather.
inline const char* likely_allgatherv(std::uint64_t bytes, int ranks, MpiLibrary library) {
  if (library != MpiLibrary::open_mpi)
    return likely_allgather(bytes, ranks, library);
  constexpr std::uint64_t kib = 1024;
  constexpr std::uint64_t mib = 1024 * kib;
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  // From so many bytes on pairs of neighbors exchange, or a ring is gone around; what is shorter is Bruck's.
  struct Limits {
    int ranks_below;
    std::uint64_t neighbors_from;
    std::uint64_t ring_from;
  };
  constexpr std::array limits = {
      Limits{16, never, never},   Limits{32, never, 256 * kib},
      Limits{64, never, 8 * kib}, Limits{128, never, 4 * kib},
      Limits{256, kib, 64 * kib}, Limits{512, never, kib},
      Limits{1024, 4 * kib, mib}, Limits{std::numeric_limits<int>::max(), 4 * kib, never}};
  if (ranks == 2)
    return "ring";
  const char* const neighbors = ranks % 2 == 0 ? "neighbor_exchange" : "ring";
  if (ranks < 8) {
    const bool is_bruck = bytes < 256 || (bytes >= 16 * kib && bytes < 256 * kib);
    const bool is_ring = bytes >= 4 * kib && bytes < 8 * kib;
    return is_bruck ? "bruck" : is_ring ? "ring" : neighbors;
  }
  for (const Limits& row : limits)
    if (ranks < row.ranks_below)
      return bytes >= row.ring_from ? "ring" : bytes >= row.neighbors_from ? neighbors : "bruck";
  return "bruck";
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

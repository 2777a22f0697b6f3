// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace thalweg::mpi {

// MPI's collective operations; blocking, nonblocking and persistent functions of the same name are one.
enum class Operation {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
};

inline constexpr std::size_t operation_count = static_cast<std::size_t>(Operation::neighbor_alltoallw) + 1;

} // namespace thalweg::mpi

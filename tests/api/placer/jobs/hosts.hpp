// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Hosts of the test's own making: ranks that take another host's name, each in a namespace that is its own.

#include <cstdio>
#include <mpi.h>
#include <sched.h>
#include <string>
#include <unistd.h>

namespace hosts {

/// After MPI_Init, which has found its ways already. Ranks r and r + count are on the same host. False on all
/// ranks where one may not do that, as who is not root.
inline bool deal_out(int count) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string name = "thalweg-host" + std::to_string(rank % count);
  int done = unshare(CLONE_NEWUTS) == 0 && sethostname(name.data(), name.size()) == 0 ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &done, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0 && done == 0)
    std::printf("no hosts of one's own: root alone may make them\n");
  return done != 0;
}

} // namespace hosts

/* SPDX-License-Identifier: BSD-3-Clause */
// Grids and graphs of fewer ranks than the communicator that they are made of, whose collectives run at once.
#include <mpi.h>
#include <stdio.h>

// Failures of a rank: gathers and sums, again on a duplicate of the communicator.
static int failures_on(MPI_Comm comm, int depth) {
  int rank, ranks, failures = 0, all[8] = {0};
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int turn = 0; turn < 4; ++turn) {
    const int own = 10 * turn + rank;
    int sum = 0;
    MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, comm);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm);
    failures += sum != 10 * turn * ranks + ranks * (ranks - 1) / 2;
    for (int other = 0; other < ranks; ++other)
      failures += all[other] != 10 * turn + other;
    MPI_Barrier(comm);
  }
  if (depth > 0) {
    MPI_Comm copy;
    MPI_Comm_dup(comm, &copy);
    failures += failures_on(copy, depth - 1);
    MPI_Comm_free(&copy);
  }
  return failures;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int failures = 0, all = 0, rank;
  const int two = 2, around = 1, index[2] = {1, 2}, edges[2] = {1, 0};
  MPI_Comm made[2];
  MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &around, 0, &made[0]);
  MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &made[1]);
  for (int which = 0; which < 2; ++which)
    if (made[which] != MPI_COMM_NULL) {
      failures += failures_on(made[which], 1);
      MPI_Comm_free(&made[which]);
    }
  MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf(all == 0 ? "passed smaller_grids\n" : "FAILED %d\n", all);
  MPI_Finalize();
  return all != 0;
}

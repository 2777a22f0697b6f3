/* SPDX-License-Identifier: BSD-3-Clause */
/* Balancing from C: rank 0 has everything, and hands on what the others lack. */

#include "thalweg/balance.h"

#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  thalweg_balancer* balancer = NULL;
  const thalweg_transfer* transfers = NULL;
  size_t count = 0;
  int64_t tasks = rank == 0 ? 10 * ranks : 0;
  int right =
      thalweg_balancer_create(MPI_COMM_WORLD, NULL, &balancer) == thalweg_success &&
      thalweg_balancer_flow(balancer, tasks, thalweg_balance_alias, &transfers, &count) == thalweg_success;
  for (size_t i = 0; i < count; ++i)
    tasks -= transfers[i].tasks;
  right = right && tasks == 10 && thalweg_balancer_free(&balancer) == thalweg_success && balancer == NULL;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0)
    printf(right ? "all right\n" : "wrong\n");
  MPI_Finalize();
  return right ? 0 : 1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Placing from C: on one host ranks keep their numbers. */

#include "thalweg/place.h"

#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0, relation = MPI_UNEQUAL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const thalweg_weight weights[] = {{.rank = (rank + 1) % ranks, .bytes = 1e6}, {.rank = rank, .bytes = 1}};
  const thalweg_reorder_options options = THALWEG_REORDER_OPTIONS_INIT;
  thalweg_reordering found = THALWEG_REORDERING_INIT;
  MPI_Comm reordered = MPI_COMM_NULL;
  int right = thalweg_reorder(MPI_COMM_WORLD, weights, 2, &options, &reordered, &found) == thalweg_success &&
              !found.is_renumbered && MPI_Comm_compare(MPI_COMM_WORLD, reordered, &relation) == MPI_SUCCESS &&
              relation == MPI_CONGRUENT && MPI_Comm_free(&reordered) == MPI_SUCCESS;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0)
    printf(right ? "all right\n" : "wrong: %s\n", thalweg_error_message());
  MPI_Finalize();
  return right ? 0 : 1;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "thalweg/place.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  // What this rank will do: a ring, with more going right than left.
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  thalweg::reordering found;
  MPI_Comm ring = thalweg::reorder(MPI_COMM_WORLD, {{left, 1e6}, {right, 4e6}}, {}, &found);

  // From here on the new rank says which part of the work this process has.
  MPI_Comm_rank(ring, &rank);
  if (rank == 0)
    std::printf("%s: %s\n", found.is_renumbered ? "renumbered" : "as they were", found.reason);
  MPI_Comm_free(&ring);
  MPI_Finalize();
}

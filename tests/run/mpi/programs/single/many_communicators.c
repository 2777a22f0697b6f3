/* SPDX-License-Identifier: BSD-3-Clause */
// So many communicators alive at a time, each used; then all are freed, and made again.
//
//     many_communicators COUNT SEGMENTS
//
// No rank shares more than so many segments of Thalweg's with others at any time.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int segments(void) {
  int count = 0;
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    count += strstr(line, "/memfd:thalweg") != NULL;
  if (maps != NULL)
    fclose(maps);
  return count;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = argc > 1 ? atoi(argv[1]) : 1900;
  const int limit = argc > 2 ? atoi(argv[2]) : count;
  MPI_Comm* all = malloc((size_t)count * sizeof *all);
  int rank, size, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 2; ++round) {
    for (int c = 0; c < count; ++c) {
      int sum = 0;
      if (c % 3 == 0)
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &all[c]);
      else
        MPI_Comm_dup(MPI_COMM_WORLD, &all[c]);
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all[c]);
      wrong += sum != size * (size - 1) / 2;
    }
    wrong += segments() > limit;
    for (int c = 0; c < count; ++c)
      MPI_Comm_free(&all[c]);
  }
  free(all);
  int failures = wrong;
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && failures == 0)
    printf("passed many_communicators\n");
  MPI_Finalize();
  return failures != 0;
}

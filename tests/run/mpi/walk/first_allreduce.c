/* SPDX-License-Identifier: BSD-3-Clause */

// The first MPI_Allreduce of a program, whose walk through the interposer rank 0 writes to the file that is
// named.

#include <mpi.h>

void begin_walk(void) __attribute__((weak));
void end_walk(const char* path) __attribute__((weak));

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double values[4] = {1, 2, 3, 4};
  double sums[4] = {0};
  if (rank == 0 && begin_walk != 0)
    begin_walk();
  MPI_Allreduce(values, sums, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && end_walk != 0 && argc > 1)
    end_walk(argv[1]);
  MPI_Finalize();
  return sums[3] == 4.0 * size ? 0 : 1;
}

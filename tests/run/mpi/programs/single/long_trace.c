/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

/* Sizes of messages that no loop repeats, so that each call takes room in the trace: of rank 1 four times as
 * much as of rank 0, and none of the others. */
int main(int argc, char** argv) {
  enum { CALLS = 40000, BYTES = 1 << 16 };
  static char sent[BYTES], received[BYTES];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned seed = 1;
  for (int call = 0; rank < 2 && call < CALLS * (3 * rank + 1); ++call) {
    seed = seed * 1664525 + 1013904223;
    const int bytes = (int)(seed >> 16) % BYTES;
    MPI_Sendrecv(sent, bytes, MPI_BYTE, rank, 0, received, BYTES, MPI_BYTE, rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}

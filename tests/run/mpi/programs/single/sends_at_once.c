/* SPDX-License-Identifier: BSD-3-Clause */
// Sends that are over when they have begun: libraries may give all of them the same request.
#include <mpi.h>
#include <stdio.h>

enum { SENDS = 6 };

static void receive_all(int from, int tag) {
  char in[8];
  for (int which = 0; which < SENDS; ++which)
    MPI_Recv(in, sizeof in, MPI_CHAR, from, tag + which, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  const char out[8] = {0};
  // The same sends each time; how their ends are waited for differs.
  for (int way = 0; way < 4; ++way) {
    const int tag = way * SENDS;
    MPI_Request requests[SENDS];
    for (int which = 0; which < SENDS; ++which)
      MPI_Isend(out, which, MPI_CHAR, next, tag + which, MPI_COMM_WORLD, &requests[which]);
    MPI_Request reversed[SENDS];
    for (int which = 0; which < SENDS; ++which)
      reversed[which] = requests[SENDS - 1 - which];
    int done = 0, indices[SENDS], index;
    if (way == 0) {
      MPI_Waitall(SENDS, requests, MPI_STATUSES_IGNORE);
    } else if (way == 1) {
      MPI_Wait(&reversed[3], MPI_STATUS_IGNORE);
      MPI_Waitall(SENDS, reversed, MPI_STATUSES_IGNORE);
    } else if (way == 2) {
      for (int which = 0; which < SENDS; ++which)
        MPI_Wait(&reversed[which], MPI_STATUS_IGNORE);
    } else {
      MPI_Waitany(SENDS, requests, &index, MPI_STATUS_IGNORE);
      for (int left = SENDS - 1; left > 0; left -= done)
        MPI_Waitsome(SENDS, requests, &done, indices, MPI_STATUSES_IGNORE);
    }
    receive_all(before, tag);
  }
  MPI_Finalize();
  if (rank == 0)
    printf("passed sends_at_once\n");
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
// How much memory calls over many requests take, of which none is over: "N calls took B bytes".
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { REQUESTS = 4096, CALLS = 300 };

void* __libc_malloc(size_t bytes);

static size_t taken;

// In front of the C library's, for all libraries of the process.
void* malloc(size_t bytes) {
  taken += bytes;
  return __libc_malloc(bytes);
}

static int in[REQUESTS], indices[REQUESTS];
static MPI_Request requests[REQUESTS];

static void look(int way) {
  int count, flag = 0;
  if (way == 0) {
    MPI_Testsome(REQUESTS, requests, &count, indices, MPI_STATUSES_IGNORE);
    flag = count != 0;
  } else if (way == 1) {
    MPI_Testany(REQUESTS, requests, &count, &flag, MPI_STATUS_IGNORE);
  } else {
    MPI_Testall(REQUESTS, requests, &flag, MPI_STATUSES_IGNORE);
  }
  if (flag) {
    printf("something came before it was sent\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int which = 0; which < REQUESTS; ++which)
      MPI_Irecv(&in[which], 1, MPI_INT, which % 2 == 0 ? 1 : MPI_ANY_SOURCE, which, MPI_COMM_WORLD,
                &requests[which]);
    for (int way = 0; way < 3; ++way)
      look(way);
    taken = 0;
    for (int call = 0; call < CALLS; ++call)
      look(call % 3);
    printf("%d calls took %zu bytes\n", CALLS, taken);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    for (int which = 0; which < REQUESTS; ++which)
      MPI_Send(&which, 1, MPI_INT, 0, which, MPI_COMM_WORLD);
  } else if (rank == 0) {
    for (int left = REQUESTS, some; left > 0; left -= some)
      MPI_Waitsome(REQUESTS, requests, &some, indices, MPI_STATUSES_IGNORE);
    for (int which = 0; which < REQUESTS; ++which)
      if (in[which] != which)
        MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */

// Calls of which the report has to know sizes, receivers and what was hidden.

#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { rounds = 40, doubles = 1000 };

static void compute(void) {
  const struct timespec pause = {0, 3000000};
  nanosleep(&pause, NULL);
}

static void exchange(int rank, int ranks) {
  double sent[doubles] = {0};
  double received[doubles];
  for (int round = 0; round < rounds; ++round) {
    const int count = round % 2 == 0 ? doubles : 1;
    MPI_Request request;
    MPI_Isend(sent, count, MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(received, count, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void hide(void) {
  double own = 1;
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    MPI_Request request;
    MPI_Iallreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    compute();
    int ended = 0;
    MPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void meet(int rank) {
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0)
      compute();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  exchange(rank, ranks);
  hide();
  meet(rank);
  if (rank == 0)
    printf("%d\n", provided);
  return MPI_Finalize();
}

/* SPDX-License-Identifier: BSD-3-Clause */

/* What timelines show: steps of messages around a ring, blocking and not, and collectives on several
   communicators. The last rank comes late to each step. Arguments: steps, microseconds that it is late, and
   how it ends: "finalize", "abort" (rank 0 aborts while the others wait for it in a receive) or "kill" (by a
   signal). */

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
static MPI_Comm halves;

static void exchange(int step) {
  char sent[64] = {0}, received[64];
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  MPI_Sendrecv(sent, 64, MPI_CHAR, next, 7, received, 64, MPI_CHAR, last, 7, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Request requests[2];
  MPI_Irecv(received, 64, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent, 32, MPI_CHAR, next, step % 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void meet(void) {
  double value = rank, sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Bcast(&value, 1, MPI_DOUBLE, 0, halves);
  MPI_Request request;
  MPI_Iallreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  usleep(200);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void end(const char* how) {
  if (strcmp(how, "finalize") == 0)
    return;
  char byte = 0;
  MPI_Barrier(MPI_COMM_WORLD); /* all have had their messages */
  if (rank != 0)
    MPI_Recv(&byte, 1, MPI_CHAR, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* never comes */
  usleep(1000000);
  if (strcmp(how, "abort") == 0)
    MPI_Abort(MPI_COMM_WORLD, 3);
  kill(getpid(), SIGKILL);
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 3;
  const int late = argc > 2 ? atoi(argv[2]) : 2000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
  for (int step = 0; step < steps; ++step) {
    if (rank == ranks - 1 && late > 0)
      usleep(late);
    meet();
    exchange(step);
  }
  end(argc > 3 ? argv[3] : "finalize");
  MPI_Comm_free(&halves);
  MPI_Finalize();
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */

/* Two threads of each rank exchange messages with those of the other at the same time. */

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static int rank;

static void* exchange(void* argument) {
  const int tag = argument != NULL;
  for (int step = 0; step < 50; ++step) {
    int sent = step, received = 0;
    MPI_Sendrecv(&sent, 1, MPI_INT, 1 - rank, tag, &received, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level != MPI_THREAD_MULTIPLE)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t other;
  pthread_create(&other, NULL, exchange, &rank);
  exchange(NULL);
  pthread_join(other, NULL);
  MPI_Finalize();
  return 0;
}

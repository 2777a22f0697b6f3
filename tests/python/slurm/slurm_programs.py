# SPDX-License-Identifier: BSD-3-Clause
"""Programs that run under Slurm: ranks say where they are, or the last one ends the job, or takes 2 GB of memory."""

HERE_SOURCE = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char** words) {
  int rank, size, rounds = count > 1 ? atoi(words[1]) : 10;
  static double in[1024], out[1024];
  char host[64];
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  gethostname(host, sizeof host);
  for (int i = 0; i < 1024; i++)
    in[i] = rank;
  if (rounds > 10 && rank == 0) {
    puts("started");
    fflush(stdout);
  }
  for (int i = 0; i < rounds; i++)
    MPI_Allreduce(in, out, 1024, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d on %s, sum %g, FLAVOR %s\\n", rank, host, out[1023], getenv("FLAVOR") ? getenv("FLAVOR") : "-");
  MPI_Finalize();
  return 0;
}
"""

PAIRS_SOURCE = """
#include <mpi.h>
#include <stdio.h>
int main(int count, char** words) {
  static char out[100000], in[100000];
  int rank, size;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int peer = (rank + size / 2) % size;
  for (int i = 0; i < 100; i++)
    MPI_Sendrecv(out, sizeof out, MPI_CHAR, peer, 0, in, sizeof in, MPI_CHAR, peer, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
"""
"""Half of the ranks each exchange with one of the other half: with two on a node, none with its neighbor."""

HOG_SOURCE = """
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char** words) {
  int rank, size;
  double in = 1, out;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; rank == size - 1 && i < 2000; i++)
    memset(malloc(1 << 20), 1, 1 << 20);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""

ENDS_SOURCE = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int count, char** words) {
  int rank, size;
  double in = 1, out;
  const char* how = words[1];
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 50; i++)
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == size - 1) {
    usleep(300000);
    puts("started");
    fflush(stdout);
    if (strcmp(how, "killed") == 0)
      raise(SIGKILL);
    if (strcmp(how, "aborts") == 0)
      MPI_Abort(MPI_COMM_WORLD, 9);
    sleep(300);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""

/* SPDX-License-Identifier: BSD-3-Clause */
/* barriers FILE BARRIERS: the ranks note in a file that all hosts of a lab see how many barriers they have
 * entered (8 KiB of zeros to begin with), and look behind each whether all have entered it. Now and then one
 * is late. The last number in the file says, once it is not 0, that these are enough. */

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { enough = 2047, last = 2046 }; /* places in the file */

static int wrong;

static void barrier(MPI_Comm comm, _Atomic int* entered, int members, int stride, int own) {
  const int number = ++entered[own];
  MPI_Barrier(comm);
  for (int member = 0; member < members; ++member)
    wrong += entered[own % stride + member * stride] < number;
}

/* A rank that waits in a barrier holds up no message of the program's: a long one needs its receiver's help.
 */
static void barrier_while_a_message_is_under_way(int rank) {
  const int bytes = 8 << 20;
  char* const message = calloc(1, (size_t)bytes);
  MPI_Request receive = MPI_REQUEST_NULL;
  if (rank == 0)
    MPI_Irecv(message, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &receive);
  if (rank == 1)
    MPI_Send(message, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  free(message);
}

int main(int count, char** words) {
  int rank = 0, size = 0, all_wrong = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int barriers = atoi(words[2]);
  const int file = open(words[1], O_RDWR);
  if (file < 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  /* Whoever joins groups and starts barriers needs no rights; who writes the report behind them does here. */
  const uid_t nobody = 65534, before = geteuid();
  if (before == 0 && seteuid(nobody) != 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  _Atomic int* const entered = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  for (int i = 0; i < barriers; ++i) {
    if (i % 50 == 0 && i / 50 % size == rank)
      usleep(20000); /* longer than the first patience of those who wait */
    if (rank == 0 && entered[enough] != 0 && entered[last] == 0)
      entered[last] = i + 1; /* all see it behind this barrier */
    barrier(MPI_COMM_WORLD, entered, size, 1, rank);
    if (i + 1 == entered[last])
      break;
  }
  /* Two communicators in turns; each of the halves goes at its own pace. */
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  int members = 0;
  MPI_Comm_size(half, &members);
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 2 + rank % 2; ++j)
      barrier(half, entered + 1024, members, 2, rank);
  for (int i = 0; i < 30; ++i)
    barrier(MPI_COMM_WORLD, entered, size, 1, rank);
  MPI_Comm_free(&half);
  barrier_while_a_message_is_under_way(rank);
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("wrong %d\n", all_wrong);
  if (seteuid(before) != 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}

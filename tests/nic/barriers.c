/* barriers FILE BARRIERS [exact]: the ranks note in a file that all hosts of a lab see how many barriers they
 * have entered (8 KiB of zeros to begin with), and look behind each whether all have entered it. Now and then
 * one is late. */

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int wrong, is_exact;

static void barrier(MPI_Comm comm, _Atomic int* entered, int members, int stride, int own) {
  const int number = ++entered[own];
  MPI_Barrier(comm);
  for (int member = 0; member < members; ++member)
    wrong += entered[own % stride + member * stride] < number;
}

/* Whatever a card combines, and what it leaves to the engine: 100 numbers, and doubles but for one sum. */
static void reduce(int rank, int size, int turn) {
  const int ranks = size * (size - 1) / 2;
  int one = rank + turn;
  MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  wrong += one != ranks + size * turn;
  const long own[5] = {-rank, rank, turn, rank - turn, 7};
  long most[5], least[5];
  MPI_Allreduce(own, most, 5, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(own, least, 5, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
  wrong += most[0] != 0 || most[1] != size - 1 || most[3] != size - 1 - turn || most[4] != 7;
  wrong += least[0] != 1 - size || least[1] != 0 || least[3] != -turn || least[4] != 7;
  const unsigned long huge = rank == 1 ? 1 : ~0UL - (unsigned long)rank;
  unsigned long smallest = 0;
  MPI_Allreduce(&huge, &smallest, 1, MPI_UNSIGNED_LONG, MPI_MIN, MPI_COMM_WORLD);
  wrong += smallest != 1;
  const unsigned char bit = (unsigned char)(1 << rank % 8);
  unsigned char bits = 0;
  MPI_Allreduce(&bit, &bits, 1, MPI_UNSIGNED_CHAR, MPI_BOR, MPI_COMM_WORLD);
  wrong += bits != (size >= 8 ? 255 : (1 << size) - 1);
  short many[100];
  for (int i = 0; i < 100; ++i)
    many[i] = (short)(rank + i);
  const int numbers = turn % 2 == 0 ? 56 : 100;
  MPI_Allreduce(MPI_IN_PLACE, many, numbers, MPI_SHORT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < numbers; ++i)
    wrong += many[i] != ranks + size * i;
  /* Rounded in any order but the exact one, the sum of these is none. */
  const double part = rank == 0 ? 1e300 : rank == size - 1 ? -1e300 : 0.5;
  double sum = 0, largest = 0;
  MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  wrong += is_exact && sum != 0.5 * (size - 2);
  MPI_Allreduce(&part, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  wrong += largest != 1e300;
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
    barrier(MPI_COMM_WORLD, entered, size, 1, rank);
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
  is_exact = count > 3;
  for (int turn = 0; turn < 30; ++turn)
    reduce(rank, size, turn);
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("wrong %d\n", all_wrong);
  if (seteuid(before) != 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* nonblocking FILE: barriers and reductions that go on while ranks do something else. FILE, 8 KiB of zeros
 * that all hosts see, tells ranks how far the others are without MPI. */

#include <fcntl.h>
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#if OMPI_MAJOR_VERSION < 5
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Barrier_init MPIX_Barrier_init
#endif
#endif
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MANY = 20 }; /* more than cards have under way */

static int rank, size, wrong;
static _Atomic int* entered;

static void meet(int place) {
  ++entered[place];
  while (entered[place] < size)
    usleep(1000);
}

/* Legal since MPI-3: with one collective at a time per process both would wait for ever. */
static void barriers_in_opposite_order(void) {
  MPI_Comm comms[2];
  MPI_Request requests[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  for (int turn = 0; turn < 10; ++turn) {
    const int first = (rank + turn) % 2;
    MPI_Ibarrier(comms[first], &requests[0]);
    MPI_Ibarrier(comms[1 - first], &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_free(&comms[0]);
  MPI_Comm_free(&comms[1]);
}

static void many_at_once(void) {
  MPI_Request requests[MANY];
  double own[MANY], sums[MANY];
  for (int i = 0; i < MANY; ++i) {
    own[i] = rank + 0.5 * i;
    MPI_Iallreduce(&own[i], &sums[i], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
  }
  double last = 1;
  MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  wrong += last != size;
  for (int i = 0; i < MANY; ++i)
    MPI_Wait(&requests[(i * 7 + rank) % MANY], MPI_STATUS_IGNORE);
  for (int i = 0; i < MANY; ++i)
    wrong += sums[i] != size * (size - 1) / 2 + 0.5 * i * size;
}

/* Roots wait, and others go on at once. */
static void reduces_that_are_left(void) {
  MPI_Request requests[MANY];
  int own[MANY], sums[MANY];
  for (int i = 0; i < MANY; ++i) {
    own[i] = rank * i;
    sums[i] = -1;
    MPI_Ireduce(&own[i], &sums[i], 1, MPI_INT, MPI_SUM, i % 2, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < MANY; ++i)
    wrong += sums[i] != (rank == i % 2 ? i * size * (size - 1) / 2 : -1);
}

/* Persistent operations are started in an order of each rank's own. */
static void persistent(void) {
  long own[2], most[2];
  MPI_Request requests[3];
  for (int i = 0; i < 2; ++i)
    MPI_Allreduce_init(&own[i], &most[i], 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  for (int turn = 0; turn < 12; ++turn) {
    own[0] = rank + turn;
    own[1] = turn - rank;
    for (int i = 0; i < 3; ++i)
      MPI_Start(&requests[(i + rank + turn) % 3]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    wrong += most[0] != size - 1 + turn || most[1] != turn;
  }
  for (int i = 0; i < 3; ++i)
    MPI_Request_free(&requests[i]);
}

/* Once all have started it, it ends although nobody calls MPI. A look finds it so; a second one is for a
 * machine that is busy. */
static int ends_while_all_compute(int place) {
  MPI_Request requests[2];
  int flag = 0, own = rank + 1, product = 0, expected = 1;
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&own, &product, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD, &requests[1]);
  meet(place);
  for (int looks = 0; looks < 2 && !flag; ++looks) {
    usleep(300000);
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int other = 1; other <= size; ++other)
    expected *= other;
  wrong += product != expected;
  return flag;
}

int main(int count, char** words) {
  int all_wrong = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int file = open(words[1], O_RDWR);
  entered = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  barriers_in_opposite_order();
  many_at_once();
  reduces_that_are_left();
  persistent();
  MPI_Barrier(MPI_COMM_WORLD);
  int ended = ends_while_all_compute(0);
  MPI_Allreduce(MPI_IN_PLACE, &ended, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("wrong %d, %s while all computed\n", all_wrong, ended ? "ended" : "not ended");
  MPI_Finalize();
  return 0;
}

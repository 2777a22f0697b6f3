/* SPDX-License-Identifier: BSD-3-Clause */
/* broadcasts TURNS [FILE]: broadcasts of all lengths that cards relay, and of some that they do not, from all
 * roots, in datatypes with gaps, blocking and not, with ranks that come late. FILE, 8 KiB of zeros that all
 * hosts see, tells ranks how far the others are without MPI. */

#include <fcntl.h>
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#if OMPI_MAJOR_VERSION < 5
#define MPI_Bcast_init MPIX_Bcast_init
#endif
#endif
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  MOST = 90112,
  LONGER = 100000,
  MANY = 20
}; /* the longest that cards relay; more than they have under way */

static int rank, size, wrong;
static unsigned char message[LONGER + 8], many[MANY][4096];

static unsigned char byte_of(int turn, int at) {
  return (unsigned char)(turn * 131 + at * 7 + at / 251);
}

static void fill(unsigned char* bytes, int length, int turn) {
  for (int i = 0; i < length; ++i)
    bytes[i] = byte_of(turn, i);
}

static void check(const unsigned char* bytes, int length, int turn) {
  for (int i = 0; i < length; ++i)
    if (bytes[i] != byte_of(turn, i)) {
      ++wrong;
      return;
    }
}

/* What is behind the message must stay as it is. */
static void broadcast(int length, int root, int turn) {
  memset(message, 0xaa, sizeof message);
  if (rank == root)
    fill(message, length, turn);
  MPI_Bcast(message, length, MPI_BYTE, root, MPI_COMM_WORLD);
  check(message, length, turn);
  for (int i = 0; i < 8; ++i)
    wrong += message[length + i] != 0xaa;
}

/* The root has its numbers in a row, and the others with gaps. */
static void with_gaps(int root, int turn) {
  MPI_Datatype gaps;
  int row[300], spread[900];
  MPI_Type_vector(300, 1, 3, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  memset(spread, 0, sizeof spread);
  for (int i = 0; i < 300; ++i)
    row[i] = turn + i * i;
  if (rank == root)
    MPI_Bcast(row, 300, MPI_INT, root, MPI_COMM_WORLD);
  else
    MPI_Bcast(spread, 1, gaps, root, MPI_COMM_WORLD);
  MPI_Type_free(&gaps);
  for (int i = 0; i < 300 && rank != root; ++i)
    wrong += spread[3 * i] != turn + i * i || spread[3 * i + 1] != 0;
}

/* Begun in a row, ended in any order; a blocking one in between. */
static void many_at_once(int turn) {
  MPI_Request requests[MANY];
  for (int i = 0; i < MANY; ++i) {
    if (rank == 0)
      fill(many[i], 4096, turn + i);
    else
      memset(many[i], 0, 4096);
    MPI_Ibcast(many[i], 4096 - 17 * i, MPI_BYTE, 0, MPI_COMM_WORLD, &requests[i]);
  }
  broadcast(3000, 0, turn);
  for (int i = 0; i < MANY; ++i)
    MPI_Wait(&requests[(i * 7 + rank) % MANY], MPI_STATUS_IGNORE);
  for (int i = 0; i < MANY; ++i)
    check(many[i], 4096 - 17 * i, turn + i);
}

static void persistent(int turn) {
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i)
    MPI_Bcast_init(many[i], 4096, MPI_BYTE, i, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  for (int run = 0; run < 12; ++run) {
    for (int i = 0; i < 2; ++i)
      if (rank == i)
        fill(many[i], 4096, turn + run + i);
    for (int i = 0; i < 2; ++i)
      MPI_Start(&requests[(i + rank + run) % 2]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; ++i)
      check(many[i], 4096, turn + run + i);
  }
  for (int i = 0; i < 2; ++i)
    MPI_Request_free(&requests[i]);
}

/* A message comes to all while nobody calls MPI. A look finds it so; a second one is for a machine that is
 * busy. */
static int ends_while_all_compute(const char* name) {
  const int file = open(name, O_RDWR);
  _Atomic int* const entered = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  MPI_Request request;
  int flag = 0;
  memset(message, 0, sizeof message);
  if (rank == 0)
    fill(message, 20000, 1);
  MPI_Ibcast(message, 20000, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  ++entered[0];
  while (entered[0] < size)
    usleep(1000);
  for (int looks = 0; looks < 2 && !flag; ++looks) {
    usleep(300000);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(message, 20000, 1);
  return flag;
}

int main(int count, char** words) {
  const int lengths[] = {1, 4, 1407, 1408, 1409, 20000, 65536, MOST - 1, MOST, 0, LONGER};
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int turns = atoi(words[1]);
  for (int turn = 0; turn < turns; ++turn) {
    if (turn % 5 == 4 && rank == turn % size) /* late by more than cards have under way */
      usleep(2000);
    const int length = lengths[turn % 11];
    broadcast(length, turn / 11 % size, turn);
    if (turn % 4 == 0)
      for (int i = 0; i < MANY; ++i)
        broadcast(i + 1, turn / 11 % size, turn + i);
    if (turn % 11 == 10)
      with_gaps(turn / 11 % size, turn);
    if (turn % 22 == 7)
      many_at_once(turn);
  }
  persistent(turns);
  int all[2] = {wrong, 1}, sums[2];
  if (count > 2)
    all[1] = ends_while_all_compute(words[2]);
  MPI_Reduce(all, sums, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("wrong %d, %s while all computed\n", sums[0], sums[1] == size ? "ended" : "not ended");
  MPI_Finalize();
  return 0;
}

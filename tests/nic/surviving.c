/* SPDX-License-Identifier: BSD-3-Clause */
/* surviving FILE CALLS SEED: ranks make so many random calls, the same ones by the seed: on two
 * communicators, blocking and nonblocking, with messages between them that only go on where a rank that has
 * its result looks after the others. They note in a file that all hosts of a lab see how many they have made
 * (8 KiB of zeros to begin with). All that comes out is mixed into a number that the first rank prints: equal
 * for equal bits. */

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { most = 24000 };

static int rank, size;
static uint64_t state, mixed = 14695981039346656037U; /* FNV's */
static int wrong;

static unsigned pick(unsigned below) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return (unsigned)(state >> 33) % below;
}

static void mix(const void* data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    mixed = (mixed ^ ((const unsigned char*)data)[i]) * 1099511628211U;
}

/* Numbers whose sums depend on the order in which they are added. */
static void fill(double* numbers, int count, int call, int of) {
  for (int i = 0; i < count; ++i)
    numbers[i] = (1.0 + 0.1 * of) / (call + 3.0 + i) * (i % 3 == 0 ? 1e9 : 1);
}

static void barrier(MPI_Comm comm, _Atomic int* entered, int call) {
  entered[1024 + rank] = call + 1;
  MPI_Barrier(comm);
  for (int other = 0; other < size; ++other)
    wrong += entered[1024 + other] < call + 1;
}

static void broadcast(MPI_Comm comm, int call) {
  static unsigned char bytes[most];
  const int count = 1 + (int)pick(pick(4) == 0 ? most : 64);
  const int root = pick(4) == 0 ? size - 1 : 0;
  for (int i = 0; i < count; ++i)
    bytes[i] = rank == root ? (unsigned char)(call * 7 + i) : 0;
  MPI_Bcast(bytes, count, MPI_BYTE, root, comm);
  for (int i = 0; i < count; ++i)
    wrong += bytes[i] != (unsigned char)(call * 7 + i);
}

static void reduction(MPI_Comm comm, int call, int to_root) {
  double own[64], sums[64] = {0};
  const int count = 1 + (int)pick(pick(4) == 0 ? 64 : 2);
  fill(own, count, call, rank);
  if (to_root)
    MPI_Reduce(own, sums, count, MPI_DOUBLE, MPI_SUM, 0, comm);
  else
    MPI_Allreduce(own, sums, count, MPI_DOUBLE, MPI_SUM, comm);
  mix(sums, sizeof sums);
}

static void blocks(MPI_Comm comm, int call) {
  int own[20], all[20 * 64];
  for (int i = 0; i < 20; ++i)
    own[i] = call + 100 * rank + i;
  const int count = 1 + (int)pick(20), way = (int)pick(3);
  if (way == 0)
    MPI_Allgather(own, count, MPI_INT, all, count, MPI_INT, comm);
  else if (way == 1)
    MPI_Gather(own, count, MPI_INT, all, count, MPI_INT, 0, comm);
  for (int i = 0; way < 2 && (way == 0 || rank == 0) && i < size * count; ++i)
    wrong += all[i] != call + 100 * (i / count) + i % count;
  if (way < 2)
    return;
  for (int i = 0; i < size * count; ++i)
    all[i] = call + i;
  MPI_Scatter(all, count, MPI_INT, own, count, MPI_INT, 0, comm);
  for (int i = 0; i < count; ++i)
    wrong += own[i] != call + rank * count + i;
}

/* More than devices have under way. */
static void several(MPI_Comm comm, int call) {
  enum { calls = 12 };
  MPI_Request requests[calls];
  double own[calls], sums[calls] = {0}, message[calls] = {0};
  fill(own, calls, call, rank);
  for (int i = 0; i < calls; ++i) {
    if (i == 0)
      message[0] = rank == 0 ? call : 0;
    if (i % 4 == 0)
      MPI_Ibcast(&message[i], 1, MPI_DOUBLE, 0, comm, &requests[i]);
    else if (i % 4 == 1)
      MPI_Ibarrier(comm, &requests[i]);
    else
      MPI_Iallreduce(&own[i], &sums[i], 1, MPI_DOUBLE, MPI_SUM, comm, &requests[i]);
    if (i % 5 == (int)(rank + call) % 5)
      usleep(pick(2) * 300);
    else
      pick(2);
  }
  MPI_Waitall(calls, requests, MPI_STATUSES_IGNORE);
  wrong += message[0] != call;
  mix(sums, sizeof sums);
}

/* Whoever waits for a message here may have the result that its sender lacks. */
static void around(int call) {
  int sent = call, came = -1;
  if (rank == 0) {
    MPI_Recv(&came, 1, MPI_INT, size - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&sent, 1, MPI_INT, 1 % size, 5, MPI_COMM_WORLD);
  } else if (rank == size - 1) {
    MPI_Send(&sent, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Recv(&came, 1, MPI_INT, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Request request;
    MPI_Irecv(&came, 1, MPI_INT, rank - 1, 5, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(&sent, 1, MPI_INT, rank + 1, 5, MPI_COMM_WORLD);
  }
  wrong += came != call;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int calls = atoi(words[2]);
  state = (uint64_t)atoi(words[3]);
  const int file = open(words[1], O_RDWR);
  if (file < 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  _Atomic int* const entered = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  for (int call = 0; call < calls; ++call) {
    const unsigned kind = pick(16);
    const MPI_Comm comm = pick(2) == 0 ? MPI_COMM_WORLD : other;
    entered[rank] = call;
    if (pick(64) == (unsigned)rank)
      usleep(3000);
    if (kind < 4)
      barrier(comm, entered, call);
    else if (kind < 7)
      broadcast(comm, call);
    else if (kind < 12)
      reduction(comm, call, kind < 9);
    else if (kind < 14)
      blocks(comm, call);
    else if (kind < 15)
      several(comm, call);
    else
      around(call);
  }
  barrier(MPI_COMM_WORLD, entered, calls);
  MPI_Comm_free(&other);
  uint64_t all_mixed = 0;
  int all_wrong = 0;
  MPI_Reduce(&mixed, &all_mixed, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("wrong %d, mixed %016llx\n", all_wrong, (unsigned long long)all_mixed);
  MPI_Finalize();
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "operations.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks;
static char* input;
static char* output;
static size_t capacity;
static int* counts; /* what goes to each rank, and behind that, what comes from each */
static int* places;

static void call_barrier(int bytes) {
  (void)bytes, MPI_Barrier(MPI_COMM_WORLD);
}
static void call_broadcast(int bytes) {
  MPI_Bcast(output, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void call_reduce(int bytes) {
  MPI_Reduce(input, output, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}
static void call_allreduce(int bytes) {
  MPI_Allreduce(input, output, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void call_gather(int bytes) {
  MPI_Gather(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void call_scatter(int bytes) {
  MPI_Scatter(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void call_allgather(int bytes) {
  MPI_Allgather(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void call_alltoall(int bytes) {
  MPI_Alltoall(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void call_alltoallv(int bytes) {
  (void)bytes, MPI_Alltoallv(input, counts, places, MPI_BYTE, output, counts + ranks, places, MPI_BYTE,
                             MPI_COMM_WORLD);
}
static void call_reduce_scatter(int bytes) {
  MPI_Reduce_scatter_block(input, output, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void call_scan(int bytes) {
  MPI_Scan(input, output, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void call_exscan(int bytes) {
  MPI_Exscan(input, output, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

double exposed_seconds;

/* A rank that does something else has the processor's other work done meanwhile; so it sleeps, as if the core
 * were its own. */
static const struct timespec elsewhere = {0, 1000000};

static void wait_later(MPI_Request* request) {
  nanosleep(&elsewhere, NULL);
  const double begin = MPI_Wtime();
  MPI_Wait(request, MPI_STATUS_IGNORE);
  exposed_seconds += MPI_Wtime() - begin;
}
static void call_ibarrier(int bytes) {
  MPI_Request request;
  (void)bytes, MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_later(&request);
}
static void call_iallreduce(int bytes) {
  MPI_Request request;
  MPI_Iallreduce(input, output, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  wait_later(&request);
}

static void call_ibroadcast(int bytes) {
  MPI_Request request;
  MPI_Ibcast(output, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  wait_later(&request);
}

/* The last rank comes when the others are half through with what else they do. */
static void come_late(void) {
  const struct timespec half = {0, elsewhere.tv_nsec / 2};
  if (rank == ranks - 1)
    nanosleep(&half, NULL);
}
static void call_late_ibarrier(int bytes) {
  come_late(), call_ibarrier(bytes);
}
static void call_late_iallreduce(int bytes) {
  come_late(), call_iallreduce(bytes);
}
static void call_late_ibroadcast(int bytes) {
  come_late(), call_ibroadcast(bytes);
}
static void call_late_broadcast(int bytes) {
  const int is_late = rank == ranks - 1;
  if (is_late)
    nanosleep(&elsewhere, NULL);
  const double begin = MPI_Wtime();
  MPI_Bcast(output, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (is_late)
    exposed_seconds += MPI_Wtime() - begin;
}

static const struct {
  const char* name;
  call_function* call;
} operations[] = {{"barrier", call_barrier},
                  {"broadcast", call_broadcast},
                  {"reduce", call_reduce},
                  {"allreduce", call_allreduce},
                  {"gather", call_gather},
                  {"scatter", call_scatter},
                  {"allgather", call_allgather},
                  {"alltoall", call_alltoall},
                  {"alltoallv", call_alltoallv},
                  {"reduce_scatter", call_reduce_scatter},
                  {"scan", call_scan},
                  {"exscan", call_exscan},
                  {"ibarrier", call_ibarrier},
                  {"iallreduce", call_iallreduce},
                  {"ibroadcast", call_ibroadcast},
                  {"late_ibarrier", call_late_ibarrier},
                  {"late_iallreduce", call_late_iallreduce},
                  {"late_ibroadcast", call_late_ibroadcast},
                  {"late_broadcast", call_late_broadcast}};

int prefix_of(const char* name) {
  static const char late[] = "late_";
  const int before = strncmp(name, late, sizeof late - 1) == 0 ? sizeof late - 1 : 0;
  return before + (name[before] == 'i');
}

call_function* find_operation(const char* name) {
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i)
    if (strcmp(operations[i].name, name) == 0)
      return operations[i].call;
  fprintf(stderr, "trial: no operation '%s'\n", name);
  MPI_Abort(MPI_COMM_WORLD, 2);
  return NULL;
}

/* Each rank sends to `degree` others, the ones after it; to itself too where it sends to `ranks`, which is
 * all. */
static int is_neighbor(int ahead, int degree) {
  return ahead == 0 ? degree >= ranks : ahead <= degree;
}

void prepare_buffers(int bytes, int degree) {
  if (counts == NULL) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    counts = calloc(2 * (size_t)ranks, sizeof *counts);
    places = calloc((size_t)ranks, sizeof *places);
  }
  const size_t needed = (size_t)bytes * (size_t)ranks + 64;
  if (needed > capacity) {
    capacity = needed;
    input = realloc(input, capacity);
    output = realloc(output, capacity);
    memset(input, 0, capacity);
    memset(output, 0, capacity);
  }
  for (int r = 0; r < ranks; ++r) {
    counts[r] = is_neighbor((r - rank + ranks) % ranks, degree) ? bytes : 0;
    counts[ranks + r] = is_neighbor((rank - r + ranks) % ranks, degree) ? bytes : 0;
    places[r] = r * bytes;
  }
}

void free_buffers(void) {
  free(input);
  free(output);
  free(counts);
  free(places);
}

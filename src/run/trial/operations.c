/* SPDX-License-Identifier: BSD-3-Clause */
#include "operations.h"

#include "interposer.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct buffers buffers;
struct group group;
static size_t capacity;

static void call_barrier(int bytes) {
  (void)bytes, MPI_Barrier(group.communicator);
}
static void call_broadcast(int bytes) {
  MPI_Bcast(buffers.output, bytes, MPI_BYTE, group.root, group.communicator);
}
static void call_reduce(int bytes) {
  MPI_Reduce(buffers.input, buffers.output, bytes / 8, MPI_DOUBLE, MPI_SUM, group.root, group.communicator);
}
static void call_allreduce(int bytes) {
  MPI_Allreduce(buffers.input, buffers.output, bytes / 8, MPI_DOUBLE, MPI_SUM, group.communicator);
}
static void call_gather(int bytes) {
  MPI_Gather(buffers.input, bytes, MPI_BYTE, buffers.output, bytes, MPI_BYTE, group.root, group.communicator);
}
static void call_scatter(int bytes) {
  MPI_Scatter(buffers.input, bytes, MPI_BYTE, buffers.output, bytes, MPI_BYTE, group.root,
              group.communicator);
}
static void call_allgather(int bytes) {
  MPI_Allgather(buffers.input, bytes, MPI_BYTE, buffers.output, bytes, MPI_BYTE, group.communicator);
}
static void call_alltoall(int bytes) {
  MPI_Alltoall(buffers.input, bytes, MPI_BYTE, buffers.output, bytes, MPI_BYTE, group.communicator);
}
static void call_alltoallv(int bytes) {
  (void)bytes, MPI_Alltoallv(buffers.input, buffers.counts, buffers.places, MPI_BYTE, buffers.output,
                             buffers.counts + group.ranks, buffers.places, MPI_BYTE, group.communicator);
}
static void call_reduce_scatter(int bytes) {
  MPI_Reduce_scatter_block(buffers.input, buffers.output, bytes / 8, MPI_DOUBLE, MPI_SUM, group.communicator);
}
static void call_scan(int bytes) {
  MPI_Scan(buffers.input, buffers.output, bytes / 8, MPI_DOUBLE, MPI_SUM, group.communicator);
}
static void call_exscan(int bytes) {
  MPI_Exscan(buffers.input, buffers.output, bytes / 8, MPI_DOUBLE, MPI_SUM, group.communicator);
}

double exposed_seconds;

/* A rank that does something else has the processor's other work done meanwhile; so it sleeps, as if the core
 * were its own. */
static const struct timespec elsewhere = {0, 1000000};

static void call_late_broadcast(int bytes) {
  const int is_late = group.rank == group.ranks - 1;
  if (is_late)
    nanosleep(&elsewhere, NULL);
  const double begin = MPI_Wtime();
  MPI_Bcast(buffers.output, bytes, MPI_BYTE, group.root, group.communicator);
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
  return ahead == 0 ? degree >= group.ranks : ahead <= degree;
}

void know_ranks(void) {
  MPI_Comm_rank(MPI_COMM_WORLD, &buffers.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &buffers.ranks);
  group = (struct group){MPI_COMM_WORLD, buffers.rank, buffers.ranks, buffers.ranks, 0, 0};
}

void leave_group(void) {
  if (group.communicator == MPI_COMM_WORLD)
    return;
  interposer.bypass(0);
  MPI_Comm_free(&group.communicator);
  interposer.bypass(1);
}

/* A communicator that the interposer sees made is one that strategies may run on. */
int form_groups(int wanted, int strided) {
  const int ranks = wanted > 0 ? wanted : buffers.ranks;
  if (ranks > buffers.ranks || buffers.ranks % ranks != 0)
    MPI_Abort(MPI_COMM_WORLD, 2);
  if (group.wanted == ranks && group.strided == strided)
    return 0;
  const int color = strided ? buffers.rank % (buffers.ranks / ranks) : buffers.rank / ranks;
  leave_group();
  group = (struct group){MPI_COMM_WORLD, buffers.rank, buffers.ranks, ranks, strided, 0};
  if (ranks < buffers.ranks) {
    interposer.bypass(0);
    MPI_Comm_split(MPI_COMM_WORLD, color, buffers.rank, &group.communicator);
    interposer.bypass(1);
    MPI_Comm_rank(group.communicator, &group.rank);
    MPI_Comm_size(group.communicator, &group.ranks);
  }
  return 1;
}

void prepare_buffers(int bytes, int degree) {
  if (buffers.counts == NULL) {
    buffers.counts = calloc(2 * (size_t)buffers.ranks, sizeof *buffers.counts);
    buffers.places = calloc((size_t)buffers.ranks, sizeof *buffers.places);
  }
  const int blocks = group.ranks > 1 ? group.ranks : 2; /* a ring's ranks have two neighbors */
  const size_t needed = (size_t)bytes * (size_t)blocks + 64;
  if (needed > capacity) {
    capacity = needed;
    buffers.input = realloc(buffers.input, capacity);
    buffers.output = realloc(buffers.output, capacity);
    memset(buffers.input, 0, capacity);
    memset(buffers.output, 0, capacity);
  }
  for (int r = 0; r < group.ranks; ++r) {
    const int ahead = (r - group.rank + group.ranks) % group.ranks;
    buffers.counts[r] = is_neighbor(ahead, degree) ? bytes : 0;
    buffers.counts[group.ranks + r] = is_neighbor((group.ranks - ahead) % group.ranks, degree) ? bytes : 0;
    buffers.places[r] = r * bytes;
  }
}

void free_buffers(void) {
  free(buffers.input);
  free(buffers.output);
  free(buffers.counts);
  free(buffers.places);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "overlap.h"

#include "interposer.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A group's ranks in a closed row, where neighborhoods are measured. */
static MPI_Comm ring = MPI_COMM_NULL;

typedef int start_function(int bytes, MPI_Request* request);

struct overlapped overlapped;

static struct {
  int tests, sleeps, parts;
  double seconds;    /* in all */
  long turns;        /* of a part */
  double part_alone; /* what a part takes alone, by work_clock() */
} computation;

static int start_barrier(int bytes, MPI_Request* request) {
  (void)bytes;
  return MPI_Ibarrier(group.communicator, request);
}
static int start_broadcast(int bytes, MPI_Request* request) {
  return MPI_Ibcast(buffers.output, bytes, MPI_BYTE, 0, group.communicator, request);
}
static int start_reduce(int bytes, MPI_Request* request) {
  return MPI_Ireduce(buffers.input, buffers.output, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, group.communicator,
                     request);
}
static int start_allreduce(int bytes, MPI_Request* request) {
  return MPI_Iallreduce(buffers.input, buffers.output, bytes / 8, MPI_DOUBLE, MPI_SUM, group.communicator,
                        request);
}
static int start_gather(int bytes, MPI_Request* request) {
  return MPI_Igather(buffers.input, bytes, MPI_BYTE, buffers.output, bytes, MPI_BYTE, 0, group.communicator,
                     request);
}
static int start_scatter(int bytes, MPI_Request* request) {
  return MPI_Iscatter(buffers.input, bytes, MPI_BYTE, buffers.output, bytes, MPI_BYTE, 0, group.communicator,
                      request);
}
static int start_allgather(int bytes, MPI_Request* request) {
  return MPI_Iallgather(buffers.input, bytes, MPI_BYTE, buffers.output, bytes, MPI_BYTE, group.communicator,
                        request);
}
static int start_alltoall(int bytes, MPI_Request* request) {
  return MPI_Ialltoall(buffers.input, bytes, MPI_BYTE, buffers.output, bytes, MPI_BYTE, group.communicator,
                       request);
}
static int start_alltoallv(int bytes, MPI_Request* request) {
  (void)bytes;
  return MPI_Ialltoallv(buffers.input, buffers.counts, buffers.places, MPI_BYTE, buffers.output,
                        buffers.counts + group.ranks, buffers.places, MPI_BYTE, group.communicator, request);
}
static int start_reduce_scatter(int bytes, MPI_Request* request) {
  return MPI_Ireduce_scatter_block(buffers.input, buffers.output, bytes / 8, MPI_DOUBLE, MPI_SUM,
                                   group.communicator, request);
}
static int start_scan(int bytes, MPI_Request* request) {
  return MPI_Iscan(buffers.input, buffers.output, bytes / 8, MPI_DOUBLE, MPI_SUM, group.communicator,
                   request);
}
static int start_exscan(int bytes, MPI_Request* request) {
  return MPI_Iexscan(buffers.input, buffers.output, bytes / 8, MPI_DOUBLE, MPI_SUM, group.communicator,
                     request);
}
static int start_neighbor_allgather(int bytes, MPI_Request* request) {
  return MPI_Ineighbor_allgather(buffers.input, bytes, MPI_BYTE, buffers.output, bytes, MPI_BYTE, ring,
                                 request);
}
static int start_neighbor_alltoall(int bytes, MPI_Request* request) {
  return MPI_Ineighbor_alltoall(buffers.input, bytes, MPI_BYTE, buffers.output, bytes, MPI_BYTE, ring,
                                request);
}
static int start_neighbor_alltoallv(int bytes, MPI_Request* request) {
  static int counts[2], places[2]; /* read until the request is complete */
  counts[0] = counts[1] = places[1] = bytes;
  return MPI_Ineighbor_alltoallv(buffers.input, counts, places, MPI_BYTE, buffers.output, counts, places,
                                 MPI_BYTE, ring, request);
}

static const struct {
  const char* name;
  start_function* start;
} starts[] = {{"ibarrier", start_barrier},
              {"ibroadcast", start_broadcast},
              {"ireduce", start_reduce},
              {"iallreduce", start_allreduce},
              {"igather", start_gather},
              {"iscatter", start_scatter},
              {"iallgather", start_allgather},
              {"ialltoall", start_alltoall},
              {"ialltoallv", start_alltoallv},
              {"ireduce_scatter", start_reduce_scatter},
              {"iscan", start_scan},
              {"iexscan", start_exscan},
              {"ineighbor_allgather", start_neighbor_allgather},
              {"ineighbor_alltoall", start_neighbor_alltoall},
              {"ineighbor_alltoallv", start_neighbor_alltoallv}};

static start_function* current_start;
static int current_is_late;

int is_overlapped(const char* name) {
  const int prefix = prefix_of(name);
  return prefix > 0 && name[prefix - 1] == 'i';
}

static double work_clock(void) {
  struct timespec t;
  clock_gettime(computation.sleeps ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A chain of operations on registers, each of which waits for the one before. */
static void turn(long turns) {
  static volatile double kept = 1;
  double value = kept;
  for (long i = 0; i < turns; ++i)
    value = value * 0.999999 + 1e-9;
  kept = value;
}

/* A part of the computation; gives what it took by work_clock(). */
static double compute_part(void) {
  const double begin = work_clock();
  if (!computation.sleeps) {
    turn(computation.turns);
  } else if (computation.seconds > 0) {
    const double seconds = computation.seconds / computation.parts;
    const struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&pause, NULL);
  }
  return work_clock() - begin;
}

static double seconds_of(long turns) {
  const double begin = MPI_Wtime();
  turn(turns);
  return MPI_Wtime() - begin;
}

void prepare_computation(double seconds, int tests, int sleeps) {
  enum { tries = 9, few_turns = 10000 };
  static const double computed_min = 2e-4, slept_min = 1e-3;
  const double shortest = sleeps ? slept_min : computed_min;
  computation.sleeps = sleeps;
  computation.tests = tests;
  computation.parts = tests + 1;
  computation.seconds = seconds <= 0 ? 0 : seconds < shortest ? shortest : seconds;
  computation.turns = 0;
  computation.part_alone = 0;
  if (seconds <= 0)
    return;
  /* The shortest of some tries: whatever else a core does makes it longer, and nothing makes it shorter. */
  double each = 1;
  for (int i = 0; i < tries && !sleeps; ++i) {
    const double taken = seconds_of(few_turns) / few_turns;
    each = taken < each ? taken : each;
  }
  computation.turns = (long)(computation.seconds / computation.parts / each);
  computation.part_alone = 1;
  for (int i = 0; i < tries; ++i) {
    const double taken = compute_part();
    computation.part_alone = taken < computation.part_alone ? taken : computation.part_alone;
  }
}

double computation_seconds(void) {
  return computation.seconds;
}

double computation_cpu_seconds(void) {
  return computation.part_alone * computation.parts;
}

static void come_late(void) {
  if (group.rank == group.ranks - 1)
    for (int part = 0; part < (computation.parts + 1) / 2; ++part)
      compute_part();
}

static void call_overlapped(int bytes) {
  MPI_Request request;
  int is_done = 0;
  double in_parts = 0, end = 0;
  if (current_is_late)
    come_late();
  const double begin = MPI_Wtime();
  current_start(bytes, &request);
  double exposed = MPI_Wtime() - begin;
  for (int part = 0; part < computation.parts; ++part) {
    in_parts += compute_part();
    if (part == computation.tests || is_done)
      continue;
    const double tested = MPI_Wtime();
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    end = MPI_Wtime();
    exposed += end - tested;
  }
  if (!is_done) {
    const double waiting = MPI_Wtime();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    end = MPI_Wtime();
    exposed += end - waiting;
    overlapped.waited += end - waiting;
  }
  overlapped.exposed += exposed;
  overlapped.lost += in_parts - computation.part_alone * computation.parts;
  overlapped.completion += end - begin;
}

/* A communicator that the interposer sees made is one that strategies may run on. */
static void make_ring(void) {
  const int is_closed = 1;
  if (ring != MPI_COMM_NULL)
    return;
  interposer.bypass(0);
  MPI_Cart_create(group.communicator, 1, &group.ranks, &is_closed, 0, &ring);
  interposer.bypass(1);
}

void free_ring(void) {
  if (ring == MPI_COMM_NULL)
    return;
  interposer.bypass(0);
  MPI_Comm_free(&ring);
  interposer.bypass(1);
}

call_function* find_overlapped(const char* name) {
  const char* own = name + prefix_of(name) - 1;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i)
    if (strcmp(starts[i].name, own) == 0) {
      if (strstr(own, "neighbor") != NULL)
        make_ring();
      current_start = starts[i].start;
      current_is_late = own != name;
      return call_overlapped;
    }
  fprintf(stderr, "trial: no operation '%s'\n", name);
  MPI_Abort(MPI_COMM_WORLD, 2);
  return NULL;
}

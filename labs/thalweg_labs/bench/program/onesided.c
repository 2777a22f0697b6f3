/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives, ten in a row and then a barrier: in modes of a team, and MPI's own.
 * onesided ROWS BYTES...  prints "operation bytes way seconds-a-call" for each, the median over the rows of
 * the slowest rank. The ways take turns. Buffers are in symmetric memory; those of "private" are not. */
#include "thalweg/team.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { in_row = 10, max_rows = 1000 };
enum operation { broadcast, scatter, allreduce, private_allreduce, operations };
enum way { strict, mine, loose, mpi, ways };
static const char* const operation_names[operations] = {"broadcast", "scatter", "allreduce",
                                                        "private-allreduce"};
static const char* const way_names[ways] = {"strict", "mine", "loose", "mpi"};
static const thalweg_sync modes[] = {thalweg_sync_all, thalweg_sync_mine, thalweg_sync_none};

static thalweg_team* team;
static int rank, ranks;

static void must(thalweg_status status) {
  if (status != thalweg_success) {
    fprintf(stderr, "rank %d: %s\n", rank, thalweg_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void call_team(enum operation operation, char* all, char* own, size_t bytes, thalweg_sync sync) {
  const int reduces = operation >= allreduce;
  thalweg_team_call call = THALWEG_TEAM_CALL_INIT;
  call.collective = operation == broadcast ? thalweg_collective_broadcast
                    : operation == scatter ? thalweg_collective_scatter
                                           : thalweg_collective_allreduce;
  call.input = operation == broadcast ? NULL : all;
  call.output = own;
  call.count = reduces ? bytes / sizeof(double) : bytes;
  call.type = reduces ? MPI_DOUBLE : MPI_BYTE;
  call.op = reduces ? MPI_SUM : MPI_OP_NULL;
  call.before = sync;
  call.after = sync;
  must(thalweg_team_start(team, &call, NULL));
}

static void call_mpi(enum operation operation, char* all, char* own, int bytes) {
  if (operation == broadcast)
    MPI_Bcast(own, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  else if (operation == scatter)
    MPI_Scatter(all, bytes, MPI_BYTE, own, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  else
    MPI_Allreduce(all, own, bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Each call of a row has buffers of its own, as they belong to it until the barrier. */
static double run_row(enum operation operation, enum way way, char* all, char* own, size_t bytes) {
  must(thalweg_team_barrier(team, NULL));
  const double begun = MPI_Wtime();
  for (int call = 0; call < in_row; ++call) {
    char* const whole = all + (size_t)call * bytes * (size_t)ranks;
    char* const part = own + (size_t)call * bytes;
    if (way == mpi)
      call_mpi(operation, whole, part, (int)bytes);
    else
      call_team(operation, whole, part, bytes, modes[way]);
  }
  if (way == loose)
    must(thalweg_team_barrier(team, NULL));
  else if (way == mpi)
    MPI_Barrier(MPI_COMM_WORLD);
  return (MPI_Wtime() - begun) / in_row;
}

static int ascending(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static void* memory_of(enum operation operation, size_t bytes) {
  void* memory = NULL;
  if (operation == private_allreduce)
    memory = calloc(bytes, 1);
  else
    must(thalweg_team_allocate(team, bytes, &memory));
  return memory;
}

static void give_back(enum operation operation, void* memory) {
  if (operation == private_allreduce)
    free(memory);
  else
    must(thalweg_team_release(team, memory));
}

static void measure(enum operation operation, size_t bytes, int rows) {
  static double taken[ways][max_rows], slowest[ways][max_rows];
  void* const all = memory_of(operation, in_row * bytes * (size_t)ranks);
  void* const own = memory_of(operation, in_row * bytes);
  for (int row = -2; row < rows; ++row) /* two to warm up */
    for (int turn = 0; turn < ways; ++turn) {
      /* what one leaves to the next, such as full buckets, is shared out */
      const enum way way = (enum way)((row + 2 + turn) % ways);
      taken[way][row < 0 ? 0 : row] = run_row(operation, way, all, own, bytes);
    }
  MPI_Reduce(taken, slowest, ways * max_rows, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  for (int way = 0; rank == 0 && way < ways; ++way) {
    qsort(slowest[way], (size_t)rows, sizeof **slowest, ascending);
    printf("%s %zu %s %.9f\n", operation_names[operation], bytes, way_names[way], slowest[way][rows / 2]);
  }
  fflush(stdout);
  give_back(operation, all);
  give_back(operation, own);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  must(thalweg_team_create(MPI_COMM_WORLD, &team));
  rank = thalweg_team_rank(team);
  ranks = thalweg_team_size(team);
  const int rows = argc > 1 ? atoi(argv[1]) : 100;
  for (int operation = 0; operation < operations; ++operation)
    for (int argument = 2; argument < argc; ++argument)
      measure((enum operation)operation, (size_t)atoll(argv[argument]), rows < max_rows ? rows : max_rows);
  must(thalweg_team_free(&team));
  MPI_Finalize();
  return 0;
}

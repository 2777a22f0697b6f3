/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcasts and scatters, ten in a row and then a barrier: strict and loose on a team, and MPI's own.
 * onesided ROWS BYTES...  prints "operation bytes way seconds-a-call" for each, the median over the rows of
 * the slowest rank. The ways take turns. */
#include "thalweg/team.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { in_row = 10, operations = 2, ways = 3, max_rows = 1000 };
static const char* const operation_names[operations] = {"broadcast", "scatter"};
static const char* const way_names[ways] = {"strict", "loose", "mpi"};

static thalweg_team* team;
static int rank, ranks;

static void must(thalweg_status status) {
  if (status != thalweg_success) {
    fprintf(stderr, "rank %d: %s\n", rank, thalweg_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void call_team(int scatter, char* all, char* mine, size_t bytes, thalweg_sync sync) {
  thalweg_team_call call = THALWEG_TEAM_CALL_INIT;
  call.collective = scatter ? thalweg_collective_scatter : thalweg_collective_broadcast;
  call.input = scatter ? all : NULL;
  call.output = mine;
  call.count = bytes;
  call.before = sync;
  call.after = sync;
  must(thalweg_team_start(team, &call, NULL));
}

static void call_mpi(int scatter, char* all, char* mine, int bytes) {
  if (scatter)
    MPI_Scatter(all, bytes, MPI_BYTE, mine, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(mine, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* Each call of a row has buffers of its own, as they belong to it until the barrier. */
static double run_row(int scatter, int way, char* all, char* mine, size_t bytes) {
  must(thalweg_team_barrier(team, NULL));
  const double begun = MPI_Wtime();
  for (int call = 0; call < in_row; ++call) {
    char* const whole = all + (size_t)call * bytes * (size_t)ranks;
    char* const part = mine + (size_t)call * bytes;
    if (way == 2)
      call_mpi(scatter, whole, part, (int)bytes);
    else
      call_team(scatter, whole, part, bytes, way == 0 ? thalweg_sync_all : thalweg_sync_none);
  }
  if (way == 1)
    must(thalweg_team_barrier(team, NULL));
  else if (way == 2)
    MPI_Barrier(MPI_COMM_WORLD);
  return (MPI_Wtime() - begun) / in_row;
}

static int ascending(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static void measure(int scatter, size_t bytes, int rows) {
  static double own[ways][max_rows], slowest[ways][max_rows];
  void *all = NULL, *mine = NULL;
  must(thalweg_team_allocate(team, in_row * bytes * (size_t)ranks, &all));
  must(thalweg_team_allocate(team, in_row * bytes, &mine));
  for (int row = -2; row < rows; ++row) /* two to warm up */
    for (int turn = 0; turn < ways; ++turn) {
      const int way =
          (row + 2 + turn) % ways; /* what one leaves to the next, such as full buckets, is shared out */
      own[way][row < 0 ? 0 : row] = run_row(scatter, way, all, mine, bytes);
    }
  MPI_Reduce(own, slowest, ways * max_rows, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  for (int way = 0; rank == 0 && way < ways; ++way) {
    qsort(slowest[way], (size_t)rows, sizeof **slowest, ascending);
    printf("%s %zu %s %.9f\n", operation_names[scatter], bytes, way_names[way], slowest[way][rows / 2]);
  }
  fflush(stdout);
  must(thalweg_team_release(team, all));
  must(thalweg_team_release(team, mine));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  must(thalweg_team_create(MPI_COMM_WORLD, &team));
  rank = thalweg_team_rank(team);
  ranks = thalweg_team_size(team);
  const int rows = argc > 1 ? atoi(argv[1]) : 100;
  for (int scatter = 0; scatter < operations; ++scatter)
    for (int argument = 2; argument < argc; ++argument)
      measure(scatter, (size_t)atoll(argv[argument]), rows < max_rows ? rows : max_rows);
  must(thalweg_team_free(&team));
  MPI_Finalize();
  return 0;
}

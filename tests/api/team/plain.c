/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface from C: a broadcast, a sum, a request. */
#include "thalweg/team.h"

#include <stdio.h>
#include <stdlib.h>

static void must(thalweg_status status) {
  if (status != thalweg_success) {
    fprintf(stderr, "FAILED: %s\n", thalweg_error_message());
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  thalweg_team* team = NULL;
  must(thalweg_team_create(MPI_COMM_WORLD, &team));
  void* memory = NULL;
  must(thalweg_team_allocate(team, 4 * sizeof(int), &memory));
  int* const numbers = memory;
  numbers[0] = thalweg_team_rank(team) == 0 ? 42 : 0;
  thalweg_team_call broadcast = THALWEG_TEAM_CALL_INIT;
  broadcast.output = numbers;
  broadcast.count = 1;
  broadcast.type = MPI_INT;
  must(thalweg_team_start(team, &broadcast, NULL));
  thalweg_team_call sum = THALWEG_TEAM_CALL_INIT;
  sum.collective = thalweg_collective_allreduce;
  sum.input = &numbers[0];
  sum.output = &numbers[1];
  sum.count = 1;
  sum.type = MPI_INT;
  sum.op = MPI_SUM;
  sum.before = sum.after = thalweg_sync_all;
  thalweg_request* request = NULL;
  must(thalweg_team_start(team, &sum, &request));
  int finished = 0;
  while (!finished)
    must(thalweg_request_test(&request, &finished));
  if (numbers[1] != 42 * thalweg_team_size(team)) {
    fprintf(stderr, "FAILED: the sum is %d\n", numbers[1]);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  must(thalweg_team_release(team, memory));
  must(thalweg_team_free(&team));
  MPI_Finalize();
  puts("all right");
  return 0;
}

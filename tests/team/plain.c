/* The C interface from C: a broadcast, a sum, a request. */
#include <stdio.h>
#include <stdlib.h>

#include "thalweg/team.h"

static void must(int status) {
  if (status != 0) {
    fprintf(stderr, "FAILED: %s\n", thalweg_team_error());
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
  const thalweg_team_call broadcast = {.collective = thalweg_team_broadcast,
                                       .output = numbers,
                                       .count = 1,
                                       .type = MPI_INT,
                                       .op = MPI_OP_NULL,
                                       .before = thalweg_sync_mine,
                                       .after = thalweg_sync_mine};
  must(thalweg_team_start(team, &broadcast, NULL));
  const thalweg_team_call sum = {.collective = thalweg_team_reduce_all,
                                 .input = &numbers[0],
                                 .output = &numbers[1],
                                 .count = 1,
                                 .type = MPI_INT,
                                 .op = MPI_SUM,
                                 .before = thalweg_sync_all,
                                 .after = thalweg_sync_all};
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

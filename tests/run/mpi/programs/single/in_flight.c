/* SPDX-License-Identifier: BSD-3-Clause */
// Operations in flight go on while a rank waits in another call of the library: rank 0 begins a nonblocking
// collective and waits for rank 1, which waits for the collective's end before it comes.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

enum { count = 200000, tag = 5, ways = 6, rounds = 3 };

static void meet(int way, MPI_Comm other, int peer) {
  int token = world_rank;
  int all[64];
  MPI_Comm made = MPI_COMM_NULL;
  switch (way) {
  case 0:
    MUST(MPI_Barrier(other));
    break;
  case 1:
    MUST(MPI_Bcast(&token, 1, MPI_INT, 1, other));
    REQUIRE(token == 1, "the root's value is %d", token);
    break;
  case 2:
    MUST(MPI_Allgather(&token, 1, MPI_INT, all, 1, MPI_INT, other));
    REQUIRE(all[world_size - 1] == world_size - 1, "the last value is %d", all[world_size - 1]);
    break;
  case 3:
    MUST(MPI_Sendrecv(&token, 1, MPI_INT, peer, tag, all, 1, MPI_INT, peer, tag, other, MPI_STATUS_IGNORE));
    break;
  case 4:
    if (world_rank % 2 == 0 && peer != MPI_PROC_NULL)
      MUST(MPI_Recv(all, 1, MPI_INT, peer, tag, other, MPI_STATUS_IGNORE));
    else
      MUST(MPI_Ssend(&token, 1, MPI_INT, peer, tag, other));
    break;
  default:
    MUST(MPI_Comm_dup(other, &made));
    MUST(MPI_Comm_free(&made));
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  be_patient(60);
  MPI_Comm other;
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &other));
  double* const mine = malloc(count * sizeof(double));
  double* const sum = malloc(count * sizeof(double));
  const int last = world_size - 1;
  const int peer =
      world_rank % 2 == 0 ? (world_rank == last ? MPI_PROC_NULL : world_rank + 1) : world_rank - 1;
  for (int round = 0; round < rounds; ++round)
    for (int way = 0; way < ways; ++way) {
      context("round %d, way %d", round, way);
      MPI_Request request = MPI_REQUEST_NULL;
      for (int i = 0; i < count; ++i)
        mine[i] = world_rank + i % 7;
      MUST(MPI_Iallreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request));
      if (world_rank % 2 == 1)
        MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
      meet(way, other, peer);
      MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
      for (int i = 0; i < count; i += 997)
        REQUIRE(sum[i] == world_size * last / 2.0 + world_size * (i % 7), "sum %d is %g", i, sum[i]);
    }
  free(mine);
  free(sum);
  MUST(MPI_Comm_free(&other));
  if (world_rank == 0)
    puts("passed in_flight");
  end();
  return 0;
}

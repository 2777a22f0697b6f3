/* SPDX-License-Identifier: BSD-3-Clause */
// Short messages one by one, from every rank to every other one: what a stream is for.
#include "check.h"

#include <stdlib.h>

enum { ROUNDS = 3000 };

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  context("short_sends");
  MPI_Request requests[16];
  int items[16];
  REQUIRE(world_size <= 8, "%d ranks are too many", world_size);
  for (int round = 0; round < ROUNDS; ++round) {
    int count = 0;
    for (int peer = 0; peer < world_size; ++peer)
      MUST(MPI_Irecv(&items[peer], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[count++]));
    const int own = world_rank + round;
    for (int peer = 0; peer < world_size; ++peer)
      MUST(MPI_Isend(&own, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[count++]));
    MUST(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    for (int peer = 0; peer < world_size; ++peer)
      REQUIRE(items[peer] == peer + round, "rank %d sent %d", peer, items[peer]);
  }
  end();
  return 0;
}

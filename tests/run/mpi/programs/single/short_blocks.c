/* SPDX-License-Identifier: BSD-3-Clause */
// Calls of alltoallv with a short block or two: what a mesh, sparse messages or a stream is for.
#include "check.h"

#include <stdlib.h>

enum { ROUNDS = 300 };

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  context("short_blocks");
  int* const send_counts = calloc((size_t)world_size, sizeof(int));
  int* const receive_counts = calloc((size_t)world_size, sizeof(int));
  int* const places = calloc((size_t)world_size, sizeof(int));
  for (int rank = 0; rank < world_size; ++rank)
    places[rank] = rank;
  int* const sent = calloc((size_t)world_size, sizeof(int));
  int* const received = calloc((size_t)world_size, sizeof(int));
  const int next = (world_rank + 1) % world_size;
  const int previous = (world_rank + world_size - 1) % world_size;
  send_counts[next] = receive_counts[previous] = 1;
  send_counts[world_rank] = receive_counts[world_rank] = 1; // to oneself, which is no message
  for (int round = 0; round < ROUNDS; ++round) {
    sent[next] = sent[world_rank] = world_rank + round;
    MUST(MPI_Alltoallv(sent, send_counts, places, MPI_INT, received, receive_counts, places, MPI_INT,
                       MPI_COMM_WORLD));
    REQUIRE(received[previous] == previous + round, "rank %d sent %d", previous, received[previous]);
  }
  free(send_counts);
  free(receive_counts);
  free(places);
  free(sent);
  free(received);
  end();
  return 0;
}

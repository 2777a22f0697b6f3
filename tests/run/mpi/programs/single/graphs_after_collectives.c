/* SPDX-License-Identifier: BSD-3-Clause */
// Graphs that ranks describe together, after any number of collectives on their communicator.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { most_collectives = 30 };

// On a communicator that has run so many nonblocking collectives: each rank sends to the next two, one comes
// late.
static int failures_after(int collectives, int late_rank) {
  int rank, ranks, failures = 0;
  MPI_Comm own, graph;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_rank(own, &rank);
  MPI_Comm_size(own, &ranks);
  for (int i = 0; i < collectives; ++i) {
    MPI_Request request;
    MPI_Ibarrier(own, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  const int degree = 2, weights[2] = {1, 2};
  const int destinations[2] = {(rank + 1) % ranks, (rank + 2) % ranks};
  if (rank == late_rank)
    usleep(500);
  MPI_Dist_graph_create(own, 1, &rank, &degree, destinations, weights, MPI_INFO_NULL, 0, &graph);
  int sources, targets, weighted;
  MPI_Dist_graph_neighbors_count(graph, &sources, &targets, &weighted);
  failures += sources != 2 || targets != 2 || !weighted;
  MPI_Comm_free(&graph);
  MPI_Comm_free(&own);
  return failures;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int failures = 0, all = 0, rank;
  for (int collectives = 0; collectives <= most_collectives; ++collectives)
    for (int turn = 0; turn < 4; ++turn)
      failures += failures_after(collectives, turn);
  MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf(all == 0 ? "passed graphs_after_collectives\n" : "FAILED %d\n", all);
  MPI_Finalize();
  return all != 0;
}

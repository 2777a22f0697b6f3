/* SPDX-License-Identifier: BSD-3-Clause */
// Communicators made with reorder: neighbors are by rank what was asked for, whichever process has the rank.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ranks, failures;

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      printf("FAILED line %d: %s\n", __LINE__, #condition);                                                  \
      ++failures;                                                                                            \
    }                                                                                                        \
  } while (0)

static int around(int rank, int steps) {
  return (rank + steps + ranks) % ranks;
}

static void print_hosts(const char* what, MPI_Comm comm) {
  char name[64] = {0};
  gethostname(name, sizeof name - 1);
  char* names = malloc(64 * (size_t)ranks);
  MPI_Gather(name, 64, MPI_CHAR, names, 64, MPI_CHAR, 0, comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    printf("%s:", what);
    for (int other = 0; other < ranks; ++other)
      printf(" %s", names + 64 * other);
    printf("\n");
  }
  free(names);
}

static void check_adjacent(int rank) {
  const int sources[2] = {around(rank, -1), around(rank, 1)};
  const int destinations[2] = {around(rank, 1), around(rank, -1)};
  const int weights[2] = {5 + rank, 7 + rank};
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, destinations, weights, MPI_INFO_NULL,
                                 1, &graph);
  int own, in, out, weighted, from[2], to[2], from_weights[2], to_weights[2];
  MPI_Comm_rank(graph, &own);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  EXPECT(in == 2 && out == 2 && weighted);
  MPI_Dist_graph_neighbors(graph, 2, from, from_weights, 2, to, to_weights);
  EXPECT(from[0] == around(own, -1) && from[1] == around(own, 1) && to[0] == around(own, 1));
  EXPECT(from_weights[0] == 5 + own && to_weights[1] == 7 + own);
  const int sent[2] = {own, own};
  int received[2];
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, graph);
  EXPECT(received[0] == from[0] && received[1] == from[1]);
  print_hosts("adjacent", graph);
  MPI_Comm_free(&graph);
}

static void check_unweighted(int rank) {
  const int next = around(rank, 1), one = 1;
  int own, in, out, weighted, from, to;
  MPI_Comm graph;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph);
  MPI_Comm_rank(graph, &own);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  EXPECT(in == 1 && out == 1 && !weighted);
  MPI_Dist_graph_neighbors(graph, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED);
  EXPECT(from == around(own, -1) && to == around(own, 1));
  MPI_Comm_free(&graph);
}

static void check_grid(void) {
  const int extent = ranks - 1, periodic = 1; // one rank is left out
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &periodic, 1, &grid);
  if (grid == MPI_COMM_NULL)
    return;
  int own, coordinate, before, after, received = -1;
  MPI_Comm_rank(grid, &own);
  MPI_Cart_coords(grid, own, 1, &coordinate);
  MPI_Cart_shift(grid, 0, 1, &before, &after);
  EXPECT(coordinate == own && after == (own + 1) % extent);
  MPI_Sendrecv(&own, 1, MPI_INT, after, 0, &received, 1, MPI_INT, before, 0, grid, MPI_STATUS_IGNORE);
  EXPECT(received == before);
  MPI_Comm_free(&grid);
}

static void check_graph(void) {
  int* index = malloc((size_t)ranks * sizeof(int));
  int* edges = malloc((size_t)ranks * 2 * sizeof(int));
  for (int rank = 0; rank < ranks; ++rank) {
    index[rank] = 2 * rank + 2;
    edges[2 * rank] = around(rank, 1);
    edges[2 * rank + 1] = around(rank, -1);
  }
  int own, neighbors[2];
  MPI_Comm graph;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 1, &graph);
  MPI_Comm_rank(graph, &own);
  MPI_Graph_neighbors(graph, own, 2, neighbors);
  EXPECT(neighbors[0] == around(own, 1) && neighbors[1] == around(own, -1));
  print_hosts("graph", graph);
  MPI_Comm_free(&graph);
  free(index);
  free(edges);
}

int main(int argc, char** argv) {
  int rank, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check_adjacent(rank);
  check_unweighted(rank);
  check_grid();
  check_graph();
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0)
    printf("passed topologies\n");
  MPI_Finalize();
  return all != 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
// Neighborhood collectives on grids (periodic or not, dimensions of one and two), graphs and distributed
// graphs (irregular, with isolated ranks, self loops and parallel edges).
#include "neighbors.h"
#include "suites.h"

#include <stdio.h>
#include <string.h>

static int grid_rank(const int* dims, const int* periodic, int n, const int* coordinates) {
  int rank = 0;
  for (int d = 0; d < n; ++d) {
    int at = coordinates[d];
    if (at < 0 || at >= dims[d]) {
      if (!periodic[d])
        return MPI_PROC_NULL;
      at = (at + dims[d]) % dims[d];
    }
    rank = rank * dims[d] + at;
  }
  return rank;
}

// In MPI's order: for every dimension the neighbor below, then the one above.
static void grid_graph(Graph* graph, const int* dims, const int* periodic, int n) {
  for (int rank = 0; rank < graph->size; ++rank) {
    int coordinates[8];
    for (int d = n - 1, rest = rank; d >= 0; rest /= dims[d--])
      coordinates[d] = rest % dims[d];
    Neighbors* mine = &graph->sources[rank];
    mine->count = 0;
    for (int d = 0; d < n; ++d)
      for (int step = -1; step <= 1; step += 2) {
        coordinates[d] += step;
        mine->ranks[mine->count++] = grid_rank(dims, periodic, n, coordinates);
        coordinates[d] -= step;
      }
    graph->destinations[rank] = *mine;
  }
}

static void check_grid(const int* dims, const int* periodic, int n) {
  static Graph graph;
  MPI_Comm comm;
  int size = 1;
  char name[80];
  int own_edges = 0;
  for (int d = 0; d < n; ++d) {
    size *= dims[d];
    own_edges += dims[d] == 1 && periodic[d];
  }
  if (size > world_size || (own_edges > 1 && known("parallel-edges")))
    return;
  graph.size = size;
  snprintf(name, sizeof name, "grid of %d x %d x %d, periodic %d %d %d", dims[0], n > 1 ? dims[1] : 1,
           n > 2 ? dims[2] : 1, periodic[0], n > 1 && periodic[1], n > 2 && periodic[2]);
  context("neighbor_cart: %s", name);
  MUST(MPI_Cart_create(MPI_COMM_WORLD, n, dims, periodic, 0, &comm));
  REQUIRE((comm == MPI_COMM_NULL) == (world_rank >= size),
          "MPI_Cart_create of %d ranks gave the wrong ranks a grid", size);
  if (comm == MPI_COMM_NULL)
    return;
  grid_graph(&graph, dims, periodic, n);
  check_neighborhood(name, &graph, comm, true, times(3));
  MUST(MPI_Comm_free(&comm));
}

void test_neighbor_cart(void) {
  const int n = world_size;
  check_grid((int[]){n}, (int[]){0}, 1);
  if (n > 2)
    check_grid((int[]){n}, (int[]){1}, 1);
  if (n >= 9)
    check_grid((int[]){3, n / 3}, (int[]){1, 1}, 2);
  check_grid((int[]){1}, (int[]){1}, 1);
  check_grid((int[]){2}, (int[]){1}, 1);
  check_grid((int[]){2, n / 2 > 0 ? n / 2 : 1}, (int[]){1, 0}, 2);
  check_grid((int[]){1, 2, n / 2 > 0 ? n / 2 : 1}, (int[]){1, 0, 1}, 3);
  check_grid((int[]){2, 2, 2}, (int[]){1, 1, 1}, 3);
  check_grid((int[]){2, 2, 3}, (int[]){0, 0, 0}, 3);
}

// Symmetric, as neighborhood collectives want MPI_Graph_create's graphs: i and j are neighbors by a
// symmetric rule.
static void check_graph(int kind) {
  static Graph graph;
  MPI_Comm comm;
  int index[RANKS_MAX], edges[RANKS_MAX * RANKS_MAX], total = 0;
  graph.size = world_size;
  for (int rank = 0; rank < world_size; ++rank) {
    Neighbors* mine = &graph.sources[rank];
    mine->count = 0;
    for (int other = world_size - 1; other >= 0; --other) {
      const int sum = rank + other, product = rank * other;
      const bool edge = kind == 0 ? sum % 3 == 0 : kind == 1 ? product == 0 && sum > 0 : false;
      if (edge)
        mine->ranks[mine->count++] = edges[total++] = other;
    }
    graph.destinations[rank] = *mine;
    index[rank] = total;
  }
  context("neighbor_graph: kind %d", kind);
  MUST(MPI_Graph_create(MPI_COMM_WORLD, world_size, index, edges, 0, &comm));
  char name[40];
  snprintf(name, sizeof name, "graph of kind %d", kind);
  check_neighborhood(name, &graph, comm, false, times(4));
  MUST(MPI_Comm_free(&comm));
}

void test_neighbor_graph(void) {
  for (int kind = 0; kind < 3; ++kind)
    check_graph(kind);
}

static bool joined(const Graph* graph, int from, int to) {
  for (int i = 0; i < graph->destinations[from].count; ++i)
    if (graph->destinations[from].ranks[i] == to)
      return true;
  return false;
}

// Irregular: rank r sends to a varied list in which ranks repeat, itself included; every third rank sends to
// nobody.
static void irregular(Graph* graph, uint64_t seed) {
  graph->size = world_size;
  for (int rank = 0; rank < world_size; ++rank)
    graph->sources[rank].count = graph->destinations[rank].count = 0;
  for (int rank = 0; rank < world_size; ++rank) {
    Dice dice = dice_of(seed, (uint64_t)rank);
    const int out = rank % 3 == 2 ? 0 : roll(&dice, 5);
    for (int i = 0; i < out; ++i) {
      const int to = roll(&dice, world_size);
      if (graph->sources[to].count == NEIGHBORS_MAX || (known("parallel-edges") && joined(graph, rank, to)))
        continue;
      graph->destinations[rank].ranks[graph->destinations[rank].count++] = to;
      graph->sources[to].ranks[graph->sources[to].count++] = rank;
    }
  }
}

static void check_adjacent(uint64_t seed) {
  static Graph graph;
  MPI_Comm comm;
  irregular(&graph, seed);
  const Neighbors *in = &graph.sources[world_rank], *out = &graph.destinations[world_rank];
  int ones[NEIGHBORS_MAX];
  for (int i = 0; i < NEIGHBORS_MAX; ++i)
    ones[i] = 1;
  context("neighbor_dist_graph: adjacent, seed %d", (int)seed);
  MUST(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in->count, in->ranks, seed % 2 ? ones : MPI_UNWEIGHTED,
                                      out->count, out->ranks, seed % 2 ? ones : MPI_UNWEIGHTED, MPI_INFO_NULL,
                                      0, &comm));
  char name[60];
  snprintf(name, sizeof name, "adjacent distributed graph of seed %d", (int)seed);
  check_neighborhood(name, &graph, comm, false, times(3));
  MUST(MPI_Comm_free(&comm));
}

// Rank 0 describes the whole graph; the order of a rank's neighbors is then the library's and has to be
// asked for.
static void check_described_by_one(uint64_t seed) {
  static Graph graph;
  MPI_Comm comm;
  int sources[RANKS_MAX], degrees[RANKS_MAX], destinations[RANKS_MAX * 5], edges = 0;
  irregular(&graph, seed);
  for (int rank = 0; rank < world_size; ++rank) {
    sources[rank] = rank;
    degrees[rank] = graph.destinations[rank].count;
    for (int i = 0; i < degrees[rank]; ++i)
      destinations[edges++] = graph.destinations[rank].ranks[i];
  }
  context("neighbor_dist_graph: described by rank 0, seed %d", (int)seed);
  MUST(MPI_Dist_graph_create(MPI_COMM_WORLD, world_rank == 0 ? world_size : 0, sources, degrees, destinations,
                             MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
  Neighbors in = {0, {0}}, out = {0, {0}};
  int weighted = 0, in_weights[NEIGHBORS_MAX], out_weights[NEIGHBORS_MAX];
  MUST(MPI_Dist_graph_neighbors_count(comm, &in.count, &out.count, &weighted));
  MUST(MPI_Dist_graph_neighbors(comm, in.count, in.ranks, in_weights, out.count, out.ranks, out_weights));
  MUST(MPI_Allgather(&in, sizeof in, MPI_BYTE, graph.sources, sizeof in, MPI_BYTE, comm));
  MUST(MPI_Allgather(&out, sizeof out, MPI_BYTE, graph.destinations, sizeof out, MPI_BYTE, comm));
  char name[60];
  snprintf(name, sizeof name, "distributed graph of seed %d", (int)seed);
  check_neighborhood(name, &graph, comm, false, times(2));
  MUST(MPI_Comm_free(&comm));
}

void test_neighbor_dist_graph(void) {
  for (uint64_t seed = 1; seed <= 4; ++seed)
    check_adjacent(seed);
  for (uint64_t seed = 5; seed <= 6; ++seed)
    check_described_by_one(seed);
}

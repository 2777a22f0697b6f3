/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of programs that gain or lose by where ranks are, for `thalweg bench place --jobs`:
 *
 *   placed KIND BYTES STEPS
 *
 * ring        a 1-D stencil that is closed: each rank exchanges BYTES with both neighbors
 * chain       the same, open at its ends
 * grid        a 2-D stencil that is closed, on MPI_Dims_create's grid
 * pairs       ranks 2i and 2i+1 exchange BYTES
 * allgather   MPI_Allgather of BYTES a rank
 * neighbors   MPI_Neighbor_allgather of BYTES on the grid, without reorder
 *
 * What ranks send depends on their number and the step. Prints the seconds of all steps by the slowest rank,
 * and a checksum of what the ranks received, which is the same wherever they are.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { peers_max = 4, tag = 5 };

struct peers {
  int count;
  int rank[peers_max];
};

static struct peers line_peers(int rank, int ranks, int closed) {
  struct peers found = {2, {rank - 1, rank + 1, 0, 0}};
  if (closed) {
    found.rank[0] = (rank + ranks - 1) % ranks;
    found.rank[1] = (rank + 1) % ranks;
  } else {
    found.rank[0] = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    found.rank[1] = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  }
  return found;
}

static struct peers pair_peer(int rank, int ranks) {
  struct peers found = {2, {MPI_PROC_NULL, MPI_PROC_NULL, 0, 0}};
  if ((rank ^ 1) < ranks)
    found.rank[1 - rank % 2] = rank ^ 1; /* the odd one is ahead of the even one */
  return found;
}

static struct peers grid_peers(MPI_Comm grid) {
  struct peers found = {4, {0, 0, 0, 0}};
  MPI_Cart_shift(grid, 0, 1, &found.rank[0], &found.rank[1]);
  MPI_Cart_shift(grid, 1, 1, &found.rank[2], &found.rank[3]);
  return found;
}

/* Of a kind that exchanges messages; none of others. */
static struct peers peers_of(const char* kind, MPI_Comm grid) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(kind, "ring") == 0 || strcmp(kind, "chain") == 0)
    return line_peers(rank, ranks, kind[0] == 'r');
  if (strcmp(kind, "grid") == 0)
    return grid_peers(grid);
  if (strcmp(kind, "pairs") == 0)
    return pair_peer(rank, ranks);
  return (struct peers){0, {0, 0, 0, 0}};
}

/* From each peer what it sent in the direction of this rank: the one before in a dimension sends ahead. */
static void exchange(struct peers peers, MPI_Comm comm, const char* out, char* in, int bytes) {
  MPI_Request requests[2 * peers_max];
  for (int peer = 0; peer < peers.count; ++peer)
    MPI_Irecv(in + (size_t)peer * (size_t)bytes, bytes, MPI_BYTE, peers.rank[peer], tag + peer, comm,
              &requests[peer]);
  for (int peer = 0; peer < peers.count; ++peer)
    MPI_Isend(out, bytes, MPI_BYTE, peers.rank[peer], tag + (peer ^ 1), comm, &requests[peers.count + peer]);
  MPI_Waitall(2 * peers.count, requests, MPI_STATUSES_IGNORE);
}

static uint64_t mixed(uint64_t hash, const char* data, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 997) /* a sample: all of it would be the program's work */
    hash = (hash ^ (unsigned char)data[at]) * 1099511628211U;
  return hash;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) {
    fprintf(stderr, "placed KIND BYTES STEPS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const char* const kind = argv[1];
  const int bytes = atoi(argv[2]);
  const int steps = atoi(argv[3]);
  int extents[2] = {0, 0};
  const int closed[2] = {1, 1};
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Dims_create(ranks, 2, extents);
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, closed, 0, &grid);
  const struct peers peers = peers_of(kind, grid);
  const int is_allgather = strcmp(kind, "allgather") == 0;
  const int is_neighbors = strcmp(kind, "neighbors") == 0;
  if (peers.count == 0 && !is_allgather && !is_neighbors) {
    fprintf(stderr, "placed: there is no kind %s\n", kind);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const size_t blocks = is_allgather ? (size_t)ranks : peers_max;
  char* const out = malloc((size_t)bytes + 1);
  char* const in = calloc(blocks, (size_t)bytes + 1);
  if (out == NULL || in == NULL)
    MPI_Abort(MPI_COMM_WORLD, 3);
  uint64_t hash = 1469598103934665603U;
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    memset(out, (rank * 31 + step) & 255, (size_t)bytes);
    if (is_allgather)
      MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (is_neighbors)
      MPI_Neighbor_allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, grid);
    else
      exchange(peers, MPI_COMM_WORLD, out, in, bytes);
    hash = mixed(hash, in, blocks * (size_t)bytes);
  }
  seconds += MPI_Wtime();
  double slowest = 0;
  uint64_t all = 0;
  hash *= (uint64_t)rank * 2 + 1; /* which rank received what counts */
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&hash, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f %016llx\n", slowest, (unsigned long long)all);
  free(in);
  free(out);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}

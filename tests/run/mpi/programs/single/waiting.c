/* SPDX-License-Identifier: BSD-3-Clause */
// Whoever waits in a collective of ours lets the MPI library go on. Rank 1 comes to each call only when a
// long message of the program has gone to rank 0, and rank 0 waits there for rank 1 while the library holds
// the receive.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

enum { count = 64, receiver = 0, sender = 1 };
// No library takes that without the receiver's help.
enum { long_message = 8 << 20, longer_message = 64 << 20 };

static double *mine, *row, *whole, *other;
static int *counts, *offsets;
static const int count_of_bytes = 1000;

static void call_barrier(void) {
  MUST(MPI_Barrier(MPI_COMM_WORLD));
}
static void call_bcast(void) {
  MUST(MPI_Bcast(row, count, MPI_DOUBLE, sender, MPI_COMM_WORLD));
}
static void call_scatter(void) {
  MUST(MPI_Scatter(whole, count, MPI_DOUBLE, row, count, MPI_DOUBLE, sender, MPI_COMM_WORLD));
}
static void call_gather(void) {
  MUST(MPI_Gather(mine, count, MPI_DOUBLE, other, count, MPI_DOUBLE, receiver, MPI_COMM_WORLD));
}
static void call_allgather(void) {
  MUST(MPI_Allgather(mine, count, MPI_DOUBLE, other, count, MPI_DOUBLE, MPI_COMM_WORLD));
}
static void call_allgatherv(void) {
  MUST(MPI_Allgatherv(mine, count, MPI_DOUBLE, other, counts, offsets, MPI_DOUBLE, MPI_COMM_WORLD));
}
static void call_alltoall(void) {
  MUST(MPI_Alltoall(whole, count, MPI_DOUBLE, other, count, MPI_DOUBLE, MPI_COMM_WORLD));
}
static void call_alltoallv(void) {
  MUST(MPI_Alltoallv(whole, counts, offsets, MPI_DOUBLE, other, counts, offsets, MPI_DOUBLE, MPI_COMM_WORLD));
}
static void call_reduce(void) {
  MUST(MPI_Reduce(mine, row, count, MPI_DOUBLE, MPI_SUM, receiver, MPI_COMM_WORLD));
}
static void call_allreduce(void) {
  MUST(MPI_Allreduce(mine, row, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
}
static void call_reduce_scatter_block(void) {
  MUST(MPI_Reduce_scatter_block(whole, row, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
}
static void wait_for(MPI_Request* request) {
  MUST(MPI_Wait(request, MPI_STATUS_IGNORE));
}
static void call_ibarrier(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  MUST(MPI_Ibarrier(MPI_COMM_WORLD, &request));
  wait_for(&request);
}
static void call_iallreduce(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  MUST(MPI_Iallreduce(mine, row, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request));
  wait_for(&request);
}
static void call_comm_dup(void) {
  MPI_Comm made = MPI_COMM_NULL;
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &made));
  MUST(MPI_Comm_free(&made));
}

// Topologies whose ranks may be numbered anew: rings.
static int around(int steps) {
  return (world_rank + steps + world_size) % world_size;
}
static void call_cart_create(void) {
  const int periodic = 1;
  MPI_Comm made = MPI_COMM_NULL;
  MUST(MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, &periodic, 1, &made));
  MUST(MPI_Comm_free(&made));
}
static void call_graph_create(void) {
  MPI_Comm made = MPI_COMM_NULL;
  int* edges = calloc((size_t)world_size, sizeof(int));
  int* ends = calloc((size_t)world_size, sizeof(int));
  for (int rank = 0; rank < world_size; ++rank) {
    ends[rank] = rank + 1;
    edges[rank] = (rank + 1) % world_size;
  }
  MUST(MPI_Graph_create(MPI_COMM_WORLD, world_size, ends, edges, 1, &made));
  MUST(MPI_Comm_free(&made));
  free(ends);
  free(edges);
}
static void call_dist_graph_create(void) {
  const int next = around(1), one = 1;
  MPI_Comm made = MPI_COMM_NULL;
  MUST(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &world_rank, &one, &next, &count_of_bytes, MPI_INFO_NULL, 1,
                             &made));
  MUST(MPI_Comm_free(&made));
}
static void call_dist_graph_create_adjacent(void) {
  const int next = around(1), before = around(-1);
  MPI_Comm made = MPI_COMM_NULL;
  MUST(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &count_of_bytes, 1, &next, &count_of_bytes,
                                      MPI_INFO_NULL, 1, &made));
  MUST(MPI_Comm_free(&made));
}

static const struct {
  const char* name;
  void (*call)(void);
  int message_bytes;
} cases[] = {{"MPI_Barrier", call_barrier, long_message},
             {"MPI_Bcast", call_bcast, long_message},
             {"MPI_Scatter", call_scatter, long_message},
             {"MPI_Gather", call_gather, long_message},
             {"MPI_Allgather", call_allgather, long_message},
             {"MPI_Allgatherv", call_allgatherv, long_message},
             {"MPI_Alltoall", call_alltoall, long_message},
             {"MPI_Alltoallv", call_alltoallv, long_message},
             {"MPI_Reduce", call_reduce, long_message},
             {"MPI_Allreduce", call_allreduce, long_message},
             {"MPI_Reduce_scatter_block", call_reduce_scatter_block, long_message},
             {"MPI_Ibarrier and MPI_Wait", call_ibarrier, long_message},
             {"MPI_Iallreduce and MPI_Wait", call_iallreduce, long_message},
             {"MPI_Comm_dup", call_comm_dup, long_message},
             {"MPI_Cart_create", call_cart_create, longer_message},
             {"MPI_Graph_create", call_graph_create, longer_message},
             {"MPI_Dist_graph_create", call_dist_graph_create, longer_message},
             {"MPI_Dist_graph_create_adjacent", call_dist_graph_create_adjacent, longer_message}};

static double* doubles(int units) {
  double* made = calloc((size_t)units * count, sizeof(double));
  REQUIRE(made != NULL, "no memory for %d units", units);
  return made;
}

// A collective that rank 1 waits for before it comes to the call that rank 0 is in.
static void check_beside_a_collective(void) {
  enum { units = 1 << 20 };
  double* in = calloc(units, sizeof(double));
  double* out = calloc(units, sizeof(double));
  for (size_t one = 0; one < sizeof cases / sizeof cases[0]; ++one) {
    if (cases[one].message_bytes != longer_message)
      continue;
    context("%s while a collective is pending", cases[one].name);
    MPI_Request sum = MPI_REQUEST_NULL;
    MUST(MPI_Iallreduce(in, out, units, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &sum));
    if (world_rank == sender)
      wait_for(&sum);
    cases[one].call();
    wait_for(&sum);
  }
  free(in);
  free(out);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  mine = doubles(1);
  row = doubles(1);
  whole = doubles(world_size);
  other = doubles(world_size);
  counts = calloc((size_t)world_size, sizeof(int));
  offsets = calloc((size_t)world_size, sizeof(int));
  for (int rank = 0; rank < world_size; ++rank) {
    counts[rank] = count;
    offsets[rank] = count * rank;
  }
  char* message = calloc(longer_message, 1);
  for (size_t one = 0; one < sizeof cases / sizeof cases[0]; ++one) {
    context("%s while a receive is pending", cases[one].name);
    const int bytes = cases[one].message_bytes;
    MPI_Request pending = MPI_REQUEST_NULL;
    if (world_rank == receiver)
      MUST(MPI_Irecv(message, bytes, MPI_CHAR, sender, 1, MPI_COMM_WORLD, &pending));
    if (world_rank == sender)
      MUST(MPI_Send(message, bytes, MPI_CHAR, receiver, 1, MPI_COMM_WORLD));
    cases[one].call();
    wait_for(&pending);
  }
  check_beside_a_collective();
  if (world_rank == 0)
    puts("passed waiting");
  end();
  return 0;
}

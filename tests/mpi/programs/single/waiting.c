// Whoever waits in a collective of ours lets the MPI library go on. Rank 1 comes to each call only when a
// long message of the program has gone to rank 0, and rank 0 waits there for rank 1 while the library holds
// the receive.
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { message_bytes = 8 << 20, count = 64, receiver = 0, sender = 1 };

static double *mine, *row, *whole, *other;
static int *counts, *offsets;

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

static const struct {
  const char* name;
  void (*call)(void);
} cases[] = {{"MPI_Barrier", call_barrier},
             {"MPI_Bcast", call_bcast},
             {"MPI_Scatter", call_scatter},
             {"MPI_Gather", call_gather},
             {"MPI_Allgather", call_allgather},
             {"MPI_Allgatherv", call_allgatherv},
             {"MPI_Alltoall", call_alltoall},
             {"MPI_Alltoallv", call_alltoallv},
             {"MPI_Reduce", call_reduce},
             {"MPI_Allreduce", call_allreduce},
             {"MPI_Reduce_scatter_block", call_reduce_scatter_block},
             {"MPI_Ibarrier and MPI_Wait", call_ibarrier},
             {"MPI_Iallreduce and MPI_Wait", call_iallreduce},
             {"MPI_Comm_dup", call_comm_dup}};

static double* doubles(int units) {
  double* made = calloc((size_t)units * count, sizeof(double));
  REQUIRE(made != NULL, "no memory for %d units", units);
  return made;
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
  char* message = calloc(message_bytes, 1);
  for (size_t one = 0; one < sizeof cases / sizeof cases[0]; ++one) {
    context("%s while a receive is pending", cases[one].name);
    MPI_Request pending = MPI_REQUEST_NULL;
    if (world_rank == receiver)
      MUST(MPI_Irecv(message, message_bytes, MPI_CHAR, sender, 1, MPI_COMM_WORLD, &pending));
    if (world_rank == sender)
      MUST(MPI_Send(message, message_bytes, MPI_CHAR, receiver, 1, MPI_COMM_WORLD));
    cases[one].call();
    wait_for(&pending);
  }
  if (world_rank == 0)
    puts("passed waiting");
  end();
  return 0;
}

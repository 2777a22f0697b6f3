/* SPDX-License-Identifier: BSD-3-Clause */
// Calls that repeat the last one in everything but the addresses, and calls that differ from it in one thing:
// nothing may be taken for known that is not.
#include "suites.h"

#include <stdlib.h>

enum { max_items = 64 };

static int value_of(int rank, int round, int element) {
  return rank * 7 + round * 100 + element;
}

static int sum_of(int size, int round, int element) {
  return 7 * size * (size - 1) / 2 + size * (round * 100 + element);
}

// Buffers move through an array, so that addresses are never the same twice in a row.
static void check_allreduce(MPI_Comm comm, int count, int in_place, int round) {
  static int memory[3 * max_items];
  int rank, size;
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &size));
  int* const output = memory + round % max_items;
  int* const input = in_place ? output : memory + 2 * max_items - round % 5;
  for (int i = 0; i < count; ++i)
    input[i] = value_of(rank, round, i);
  MUST(MPI_Allreduce(in_place ? MPI_IN_PLACE : input, output, count, MPI_INT, MPI_SUM, comm));
  for (int i = 0; i < count; ++i)
    REQUIRE(output[i] == sum_of(size, round, i), "element %d is %d instead of %d", i, output[i],
            sum_of(size, round, i));
}

static void check_bcast(MPI_Comm comm, int root, int count, int round) {
  int buffer[max_items];
  int rank;
  MUST(MPI_Comm_rank(comm, &rank));
  for (int i = 0; i < count; ++i)
    buffer[i] = rank == root ? value_of(root, round, i) : -1;
  MUST(MPI_Bcast(buffer, count, MPI_INT, root, comm));
  for (int i = 0; i < count; ++i)
    REQUIRE(buffer[i] == value_of(root, round, i), "element %d is %d", i, buffer[i]);
}

// A freed communicator's handle may come back with other ranks behind it.
static void check_new_communicator(int round) {
  MPI_Comm comm;
  const int color = round % 2 == 0 ? 0 : world_rank % 2;
  MUST(MPI_Comm_split(MPI_COMM_WORLD, color, world_rank, &comm));
  for (int again = 0; again < 3; ++again)
    check_allreduce(comm, 4, 0, round + again);
  MUST(MPI_Comm_free(&comm));
}

void test_fast_path(void) {
  for (int round = 0; round < times(400); ++round) {
    context("known calls: round %d", round);
    check_allreduce(MPI_COMM_WORLD, 3, round % 3 == 0, round);
    check_allreduce(MPI_COMM_WORLD, 3, round % 5 == 0, round);
    check_bcast(MPI_COMM_WORLD, round / 4 % world_size, 5, round);
    check_bcast(MPI_COMM_WORLD, 0, 1 + round / 8 % max_items, round);
    // Calls under way make no difference to those that are made meanwhile.
    int sum = 0;
    MPI_Request request;
    MUST(MPI_Iallreduce(&round, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    check_allreduce(MPI_COMM_WORLD, 3, 0, round);
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
    REQUIRE(sum == round * world_size, "the nonblocking sum is %d", sum);
    if (round % 16 == 0)
      check_new_communicator(round / 16);
  }
}

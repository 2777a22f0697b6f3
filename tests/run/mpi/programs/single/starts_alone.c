/* SPDX-License-Identifier: BSD-3-Clause */
// Nonblocking collectives on communicators that no other call is made on: rows and columns of a grid of two
// rows. All words are checked.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

enum { words = 32, rows = 2, calls = 400, in_flight = 2 };

typedef struct {
  MPI_Comm comm;
  int rank, size;
  uint64_t *input[in_flight], *output[in_flight];
  MPI_Request requests[in_flight];
} Part;

static Part part_of(int color) {
  Part part;
  MUST(MPI_Comm_split(MPI_COMM_WORLD, color, world_rank, &part.comm));
  MUST(MPI_Comm_rank(part.comm, &part.rank));
  MUST(MPI_Comm_size(part.comm, &part.size));
  for (int i = 0; i < in_flight; ++i) {
    part.input[i] = malloc((size_t)part.size * words * sizeof(uint64_t));
    part.output[i] = malloc((size_t)part.size * words * sizeof(uint64_t));
  }
  return part;
}

static void release(Part* part) {
  for (int i = 0; i < in_flight; ++i) {
    free(part->input[i]);
    free(part->output[i]);
  }
  MUST(MPI_Comm_free(&part->comm));
}

static uint64_t word(int number, int from, int to, int i) {
  return mix((uint64_t)number * 4096 + (uint64_t)from * 64 + (uint64_t)to) + (uint64_t)i;
}

static void start(Part* part, int number) {
  const int slot = number % in_flight;
  for (int to = 0; to < part->size; ++to)
    for (int i = 0; i < words; ++i)
      part->input[slot][to * words + i] = word(number, part->rank, to, i);
  MUST(MPI_Ialltoall(part->input[slot], words, MPI_UINT64_T, part->output[slot], words, MPI_UINT64_T,
                     part->comm, &part->requests[slot]));
}

static void finish(Part* part, int number) {
  const int slot = number % in_flight;
  MUST(MPI_Wait(&part->requests[slot], MPI_STATUS_IGNORE));
  for (int from = 0; from < part->size; ++from)
    for (int i = 0; i < words; ++i)
      REQUIRE(part->output[slot][from * words + i] == word(number, from, part->rank, i),
              "call %d: word %d from rank %d is wrong", number, i, from);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  be_patient(60);
  Part row = part_of(world_rank % rows);
  Part column = part_of(world_rank / rows);
  for (int number = 0; number < calls; ++number) {
    start(&row, number);
    start(&column, number);
    if (number > 0) {
      finish(&row, number - 1);
      finish(&column, number - 1);
    }
  }
  finish(&row, calls - 1);
  finish(&column, calls - 1);
  release(&row);
  release(&column);
  if (world_rank == 0)
    puts("passed starts_alone");
  end();
  return 0;
}

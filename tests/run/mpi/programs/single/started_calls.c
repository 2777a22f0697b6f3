/* SPDX-License-Identifier: BSD-3-Clause */
// Nonblocking and neighborhood collectives in loops, with all ways to complete them, several in flight at
// once, ranks that are late, and ranks that start many calls before others start one. Everything is checked.
// With learning on, strategies change from call to call meanwhile.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { words = 24, batch_max = 6, kinds = 7, ways = 6, tag = 9, ahead = 40 };

static const char* const names[kinds] = {"ialltoall", "iallgather", "ialltoallv",        "iallreduce",
                                         "ibcast",    "ibarrier",   "ineighbor_alltoall"};

typedef struct {
  int kind, number, root;
  uint64_t *input, *output;
  int *counts, *places;
  MPI_Request request;
} Started;

static MPI_Comm ring;
static int ring_places[2]; // of the ranks around this one

static uint64_t word(int number, int from, int to, int index) {
  return mix((uint64_t)number * 4096 + (uint64_t)from * 64 + (uint64_t)to) + (uint64_t)index;
}

static void prepare(Started* call) {
  const size_t size = (size_t)(world_size > 2 ? world_size : 2) * words;
  call->input = malloc(size * sizeof(uint64_t));
  call->output = calloc(size, sizeof(uint64_t));
  call->counts = malloc((size_t)world_size * sizeof(int));
  call->places = malloc((size_t)world_size * sizeof(int));
}

static void release(Started* call) {
  free(call->input);
  free(call->output);
  free(call->counts);
  free(call->places);
}

static void start(Started* call) {
  call->root = call->number % world_size;
  for (int rank = 0; rank < world_size; ++rank) {
    const bool is_even = (rank + world_rank + call->number / 64) % 2 == 0;
    call->counts[rank] = is_even ? words : words / 3;
    call->places[rank] = rank * words;
    for (int i = 0; i < words; ++i)
      call->input[rank * words + i] = word(call->number, world_rank, rank, i);
  }
  uint64_t* const in = call->input;
  uint64_t* const out = call->output;
  switch (call->kind) {
  case 0:
    MUST(MPI_Ialltoall(in, words, MPI_UINT64_T, out, words, MPI_UINT64_T, MPI_COMM_WORLD, &call->request));
    break;
  case 1:
    MUST(MPI_Iallgather(in, words, MPI_UINT64_T, out, words, MPI_UINT64_T, MPI_COMM_WORLD, &call->request));
    break;
  case 2:
    MUST(MPI_Ialltoallv(in, call->counts, call->places, MPI_UINT64_T, out, call->counts, call->places,
                        MPI_UINT64_T, MPI_COMM_WORLD, &call->request));
    break;
  case 3:
    MUST(MPI_Iallreduce(in, out, words, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &call->request));
    break;
  case 4:
    for (int i = 0; i < words; ++i)
      out[i] = world_rank == call->root ? word(call->number, call->root, 0, i) : 0;
    MUST(MPI_Ibcast(out, words, MPI_UINT64_T, call->root, MPI_COMM_WORLD, &call->request));
    break;
  case 5:
    MUST(MPI_Ibarrier(MPI_COMM_WORLD, &call->request));
    break;
  default:
    MUST(MPI_Ineighbor_alltoall(in, words, MPI_UINT64_T, out, words, MPI_UINT64_T, ring, &call->request));
  }
}

static uint64_t expected(const Started* call, int block, int i) {
  uint64_t sum = 0;
  switch (call->kind) {
  case 1:
    return word(call->number, block, 0, i);
  case 3:
    for (int rank = 0; rank < world_size; ++rank)
      sum += word(call->number, rank, 0, i);
    return sum;
  case 4:
    return word(call->number, call->root, 0, i);
  case 6: // what the rank before this one gives to the one behind it, and the other way round
    return word(call->number, ring_places[block], 1 - block, i);
  default:
    return word(call->number, block, world_rank, i);
  }
}

static void check(const Started* call) {
  const int blocks = call->kind == 5                      ? 0
                     : call->kind == 3 || call->kind == 4 ? 1
                     : call->kind == 6                    ? 2
                                                          : world_size;
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < (call->kind == 2 ? call->counts[block] : words); ++i)
      REQUIRE(call->output[block * words + i] == expected(call, block, i),
              "%s %d: word %d of block %d is wrong", names[call->kind], call->number, i, block);
}

static void compute(int microseconds) {
  const double end_seconds = MPI_Wtime() + 1e-6 * microseconds;
  while (MPI_Wtime() < end_seconds)
    ;
}

// Each rank completes them as it likes.
static void complete(MPI_Request* requests, int count, Dice* own) {
  const int way = roll(own, ways);
  int left = count;
  int done = 0;
  int indices[batch_max];
  switch (way) {
  case 0:
    for (int i = count - 1; i >= 0; --i)
      MUST(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    return;
  case 1:
    MUST(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    return;
  case 2:
    while (left > 0) {
      MUST(MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE));
      left -= done;
    }
    return;
  case 3:
    for (; left > 0; --left)
      MUST(MPI_Waitany(count, requests, indices, MPI_STATUS_IGNORE));
    return;
  case 4:
    for (int i = 0; i < count; ++i)
      for (int flag = 0; flag == 0;)
        MUST(MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE));
    return;
  default:
    while (left > 0) {
      MUST(MPI_Testany(count, requests, indices, &done, MPI_STATUS_IGNORE));
      left -= done != 0 && indices[0] != MPI_UNDEFINED ? 1 : 0;
    }
  }
}

static void run_batch(int kind, int* number, Dice* all, Dice* own) {
  Started calls[batch_max];
  MPI_Request requests[batch_max];
  const int count = 1 + roll(all, batch_max);
  for (int i = 0; i < count; ++i) {
    calls[i] = (Started){.kind = kind, .number = (*number)++};
    prepare(&calls[i]);
    start(&calls[i]);
    requests[i] = calls[i].request;
    if (roll(own, 4) == 0)
      compute(roll(own, 30));
  }
  if (roll(own, 500) == 0)
    usleep(3000);
  compute(roll(own, 20));
  complete(requests, count, own);
  for (int i = 0; i < count; ++i) {
    check(&calls[i]);
    release(&calls[i]);
  }
}

// Nobody may wait in a start: the others begin nothing before rank 0 has started all, and sent a word.
static void run_ahead(int kind, int* number) {
  Started calls[ahead];
  MPI_Request requests[ahead];
  int token = 0;
  if (world_rank != 0)
    MUST(MPI_Recv(&token, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < ahead; ++i) {
    calls[i] = (Started){.kind = kind, .number = (*number)++};
    prepare(&calls[i]);
    start(&calls[i]);
    requests[i] = calls[i].request;
  }
  if (world_rank == 0)
    for (int rank = 1; rank < world_size; ++rank)
      MUST(MPI_Send(&token, 1, MPI_INT, rank, tag, MPI_COMM_WORLD));
  MUST(MPI_Waitall(ahead, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < ahead; ++i) {
    check(&calls[i]);
    release(&calls[i]);
  }
}

static void make_ring(void) {
  ring_places[0] = (world_rank + world_size - 1) % world_size;
  ring_places[1] = (world_rank + 1) % world_size;
  const int weights[2] = {1, 1};
  MUST(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, ring_places, weights, 2, ring_places, weights,
                                      MPI_INFO_NULL, 0, &ring));
}

// Blocking calls among neighbors, and the sums that tell whether all went right.
static void exchange_with_neighbors(int number) {
  uint64_t in[2 * words];
  uint64_t out[2 * words] = {0};
  for (int i = 0; i < 2 * words; ++i)
    in[i] = word(number, world_rank, 0, i % words);
  MUST(MPI_Neighbor_allgather(in, words, MPI_UINT64_T, out, words, MPI_UINT64_T, ring));
  for (int block = 0; block < 2; ++block)
    for (int i = 0; i < words; ++i)
      REQUIRE(out[block * words + i] == word(number, ring_places[block], 0, i),
              "neighbor_allgather %d: word %d", number, i);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  be_patient(120);
  make_ring();
  int number = 0;
  Dice all = dice_of(7, 0);
  Dice own = dice_of(7, (uint64_t)world_rank + 1);
  // Between two ranks, which of two messages is whose is up to the library.
  const int used = world_size > 2 ? kinds : kinds - 1;
  for (int round = 0; round < times(300); ++round) {
    for (int kind = 0; kind < used; ++kind) {
      context("round %d, %s", round, names[kind]);
      for (int i = 0; i < 3; ++i)
        run_batch(kind, &number, &all, &own);
      if (round % 8 == kind)
        run_ahead(kind, &number);
    }
    context("round %d", round);
    for (int i = 0; world_size > 2 && i < 4; ++i)
      exchange_with_neighbors(number + i);
    if (round % 4 == 0)
      MUST(MPI_Barrier(MPI_COMM_WORLD));
  }
  MUST(MPI_Comm_free(&ring));
  if (world_rank == 0)
    puts("passed started_calls");
  end();
  return 0;
}

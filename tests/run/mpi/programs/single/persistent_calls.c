/* SPDX-License-Identifier: BSD-3-Clause */
// Persistent collectives that are started again and again: ranks start them in orders of their own, one by
// one or together, are late or far ahead, and complete them in all ways. Everything is checked. With learning
// on, strategies change from start to start meanwhile.
#include "check.h"
#include "complete.h"
#include "persistent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kinds = 7, copies = 2, all_requests = kinds * copies, most_words = 40, ahead = 12, tag = 9 };

static const char* const names[kinds] = {"alltoall", "allgather", "alltoallv",        "allreduce",
                                         "bcast",    "barrier",   "neighbor_alltoall"};

typedef struct {
  int kind, words, root, number; // `number` of its starts
  uint64_t *input, *output;
  int *counts, *places;
  MPI_Request request;
} Persistent;

static MPI_Comm comm, ring;
static int ring_places[2]; // of the ranks around this one
static int used;           // kinds: between two ranks, which of two messages is whose is up to the library

static uint64_t word(const Persistent* call, int from, int to, int index) {
  return mix((uint64_t)call->number * 4096 + (uint64_t)from * 64 + (uint64_t)to) +
         (uint64_t)(index + call->words * 1000 + call->kind);
}

static void make(Persistent* call, int kind, int words, int root) {
  const size_t size = (size_t)(world_size > 2 ? world_size : 2) * (size_t)words;
  *call = (Persistent){.kind = kind, .words = words, .root = root, .request = MPI_REQUEST_NULL};
  uint64_t* const in = call->input = malloc(size * sizeof(uint64_t));
  uint64_t* const out = call->output = calloc(size, sizeof(uint64_t));
  call->counts = malloc((size_t)world_size * sizeof(int));
  call->places = malloc((size_t)world_size * sizeof(int));
  for (int rank = 0; rank < world_size; ++rank) {
    call->counts[rank] = (rank + world_rank) % 2 == 0 ? words : words / 3;
    call->places[rank] = rank * words;
  }
  MPI_Request* const request = &call->request;
  switch (kind) {
  case 0:
    MUST(MPI_Alltoall_init(in, words, MPI_UINT64_T, out, words, MPI_UINT64_T, comm, MPI_INFO_NULL, request));
    break;
  case 1:
    MUST(MPI_Allgather_init(in, words, MPI_UINT64_T, out, words, MPI_UINT64_T, comm, MPI_INFO_NULL, request));
    break;
  case 2:
    MUST(MPI_Alltoallv_init(in, call->counts, call->places, MPI_UINT64_T, out, call->counts, call->places,
                            MPI_UINT64_T, comm, MPI_INFO_NULL, request));
    break;
  case 3:
    MUST(MPI_Allreduce_init(in, out, words, MPI_UINT64_T, MPI_SUM, comm, MPI_INFO_NULL, request));
    break;
  case 4:
    MUST(MPI_Bcast_init(out, words, MPI_UINT64_T, root, comm, MPI_INFO_NULL, request));
    break;
  case 5:
    MUST(MPI_Barrier_init(comm, MPI_INFO_NULL, request));
    break;
  default:
    MUST(MPI_Neighbor_alltoall_init(in, words, MPI_UINT64_T, out, words, MPI_UINT64_T, ring, MPI_INFO_NULL,
                                    request));
  }
}

static void release(Persistent* call) {
  if (call->request != MPI_REQUEST_NULL)
    MUST(MPI_Request_free(&call->request));
  free(call->input);
  free(call->output);
  free(call->counts);
  free(call->places);
}

static void fill(Persistent* call) {
  ++call->number;
  for (int rank = 0; rank < world_size; ++rank)
    for (int i = 0; i < call->words; ++i)
      call->input[rank * call->words + i] = word(call, world_rank, rank, i);
  for (int i = 0; call->kind == 4 && i < call->words; ++i)
    call->output[i] = world_rank == call->root ? word(call, call->root, 0, i) : 0;
}

static uint64_t expected(const Persistent* call, int block, int i) {
  uint64_t sum = 0;
  switch (call->kind) {
  case 1:
    return word(call, block, 0, i);
  case 3:
    for (int rank = 0; rank < world_size; ++rank)
      sum += word(call, rank, 0, i);
    return sum;
  case 4:
    return word(call, call->root, 0, i);
  case 6: // what the rank before this one gives to the one behind it, and the other way round
    return word(call, ring_places[block], 1 - block, i);
  default:
    return word(call, block, world_rank, i);
  }
}

static void check(const Persistent* call) {
  const int blocks = call->kind == 5                      ? 0
                     : call->kind == 3 || call->kind == 4 ? 1
                     : call->kind == 6                    ? 2
                                                          : world_size;
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < (call->kind == 2 ? call->counts[block] : call->words); ++i)
      REQUIRE(call->output[block * call->words + i] == expected(call, block, i),
              "%s of %d words, start %d: word %d of block %d is wrong", names[call->kind], call->words,
              call->number, i, block);
}

static void compute(int microseconds) {
  const double end_seconds = MPI_Wtime() + 1e-6 * microseconds;
  while (MPI_Wtime() < end_seconds)
    ;
}

static void shuffle(int* order, int count, Dice* own) {
  for (int i = 0; i < count; ++i)
    order[i] = i;
  for (int i = count - 1; i > 0; --i) {
    const int other = roll(own, i + 1), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
}

// Those that are under way together, each rank in its order.
static void start_some(Persistent* calls[], int count, Dice* own) {
  int order[all_requests];
  shuffle(order, count, own);
  for (int i = 0; i < count; ++i)
    fill(calls[i]);
  if (roll(own, 3) == 0) {
    MPI_Request requests[all_requests];
    for (int i = 0; i < count; ++i)
      requests[i] = calls[order[i]]->request;
    MUST(MPI_Startall(count, requests));
    return;
  }
  for (int i = 0; i < count; ++i) {
    MUST(MPI_Start(&calls[order[i]]->request));
    if (roll(own, 4) == 0)
      compute(roll(own, 30));
  }
}

static void complete_some(Persistent* calls[], int count, Dice* own) {
  MPI_Request requests[all_requests];
  for (int i = 0; i < count; ++i)
    requests[i] = calls[i]->request;
  const int way = roll(own, 4);
  int index = 0;
  if (way == 0 && !known("persistent-testall"))
    MUST(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
  else if (way == 1 && !known("persistent-testall"))
    for (int left = count; left > 0; --left) {
      MUST(MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE));
      REQUIRE(index >= 0 && index < count, "MPI_Waitany returned %d with %d active", index, left);
    }
  else
    for (int i = 0; i < count; ++i)
      complete_one(&requests[i], roll(own, COMPLETION_COUNT), true);
  if (!known("persistent-testall")) {
    MUST(MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE));
    REQUIRE(index == MPI_UNDEFINED, "MPI_Waitany of inactive requests returned %d", index);
  }
  for (int i = 0; i < count; ++i)
    check(calls[i]);
}

static void run_some(Persistent* calls, Dice* all, Dice* own) {
  Persistent* chosen[all_requests];
  int count = 0;
  for (int i = 0; i < used * copies; ++i)
    if (roll(all, 3) == 0)
      chosen[count++] = &calls[i];
  start_some(chosen, count, own);
  compute(roll(own, 20));
  if (count > 0)
    complete_some(chosen, count, own);
}

// A root is over before the others begin, which they do when it has said so; at the end of it, the request is
// freed.
static void run_ahead(int words) {
  Persistent call;
  int token = 0;
  make(&call, 4, words, 0);
  if (world_rank != 0)
    MUST(MPI_Recv(&token, 1, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE));
  for (int i = 0; i < ahead; ++i) {
    fill(&call);
    MUST(MPI_Start(&call.request));
    MUST(MPI_Wait(&call.request, MPI_STATUS_IGNORE));
    check(&call);
  }
  release(&call);
  if (world_rank == 0)
    for (int rank = 1; rank < world_size; ++rank)
      MUST(MPI_Send(&token, 1, MPI_INT, rank, tag, comm));
}

static void make_ring(void) {
  ring_places[0] = (world_rank + world_size - 1) % world_size;
  ring_places[1] = (world_rank + 1) % world_size;
  const int weights[2] = {1, 1};
  MUST(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, ring_places, weights, 2, ring_places, weights,
                                      MPI_INFO_NULL, 0, &ring));
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  be_patient(120);
  make_ring();
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  used = world_size > 2 ? kinds : kinds - 1;
  Dice all = dice_of(11, 0);
  Dice own = dice_of(11, (uint64_t)world_rank + 1);
  Persistent calls[all_requests];
  for (int i = 0; i < used * copies; ++i)
    make(&calls[i], i % used, 1 + roll(&all, most_words), roll(&all, world_size));
  for (int round = 0; round < times(1000); ++round) {
    context("round %d", round);
    run_some(calls, &all, &own);
    if (roll(&own, 200) == 0)
      usleep(3000);
    if (round % 64 == 0)
      run_ahead(1 + round % 50);
    if (round % 16 == 0)
      MUST(MPI_Barrier(MPI_COMM_WORLD));
  }
  for (int i = 0; i < used * copies; ++i)
    release(&calls[i]);
  MUST(MPI_Comm_free(&comm));
  MUST(MPI_Comm_free(&ring));
  if (world_rank == 0)
    puts("passed persistent_calls");
  end();
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
// Random collectives of all forms: mixed_calls CALLS SEED MAX_BYTES.
//
// All ranks roll the same calls, blocking, nonblocking, persistent and among neighbors, on two communicators.
// Few sizes and roots, so that calls repeat. Some are under way at once, and each rank starts persistent ones
// in an order of its own. Every word that arrives is checked. With learning on, strategies change meanwhile.
#define _GNU_SOURCE
#include "check.h"
#include "persistent.h"
#include "single/random_call.h"
#include "single/random_starts.h"

#include <stdio.h>
#include <stdlib.h>

enum { communicators = 2, requests = 10, max_under_way = 4, neighbor_words = 12 };

static void make_persistent(Call* call) {
  const MPI_Datatype type = MPI_UINT64_T;
  const MPI_Comm comm = call->communicator;
  const int n = call->words, root = call->root;
  void* const out = call->output;
  const void* const in = call->in_place ? MPI_IN_PLACE : call->input;
  MPI_Request* const request = &call->request;
  switch (call->operation) {
  case op_barrier:
    MUST(MPI_Barrier_init(comm, MPI_INFO_NULL, request));
    break;
  case op_bcast:
    MUST(MPI_Bcast_init(out, n, type, root, comm, MPI_INFO_NULL, request));
    break;
  case op_reduce:
    MUST(MPI_Reduce_init(in, out, n, type, MPI_SUM, root, comm, MPI_INFO_NULL, request));
    break;
  case op_allreduce:
    MUST(MPI_Allreduce_init(in, out, n, type, MPI_SUM, comm, MPI_INFO_NULL, request));
    break;
  case op_scan:
    MUST(MPI_Scan_init(in, out, n, type, MPI_SUM, comm, MPI_INFO_NULL, request));
    break;
  case op_exscan:
    MUST(MPI_Exscan_init(in, out, n, type, MPI_SUM, comm, MPI_INFO_NULL, request));
    break;
  case op_gather:
    MUST(MPI_Gather_init(in, n, type, out, n, type, root, comm, MPI_INFO_NULL, request));
    break;
  case op_scatter:
    MUST(MPI_Scatter_init(call->input, n, type, call->in_place ? MPI_IN_PLACE : out, n, type, root, comm,
                          MPI_INFO_NULL, request));
    break;
  case op_allgather:
    MUST(MPI_Allgather_init(in, n, type, out, n, type, comm, MPI_INFO_NULL, request));
    break;
  case op_alltoall:
    MUST(MPI_Alltoall_init(in, n, type, out, n, type, comm, MPI_INFO_NULL, request));
    break;
  case op_alltoallv:
    MUST(MPI_Alltoallv_init(in, call->counts_out, call->places_out, type, out, call->counts_in,
                            call->places_in, type, comm, MPI_INFO_NULL, request));
    break;
  default:
    MUST(MPI_Reduce_scatter_block_init(in, out, n, type, MPI_SUM, comm, MPI_INFO_NULL, request));
  }
}

typedef struct {
  uint64_t in[2 * neighbor_words], out[2 * neighbor_words];
  MPI_Request request;
  uint64_t number;
} Exchange;

typedef struct {
  Dice dice, own;
  int max_bytes;
  MPI_Comm comms[communicators];
  Call under_way[max_under_way];
  int pending;
  Call persistent[requests];
  MPI_Comm ring;
  int around[2];        // the ranks before and behind this one
  Exchange once, again; // a persistent one
} Run;

static uint64_t neighbor_word(uint64_t number, int from, int to, int i) {
  return mix(number * 4096 + (uint64_t)from * 64 + (uint64_t)to) + (uint64_t)i;
}

static void fill_exchange(const Run* run, Exchange* exchange, uint64_t number) {
  exchange->number = number;
  for (int i = 0; i < 2 * neighbor_words; ++i) {
    exchange->in[i] = neighbor_word(number, world_rank, run->around[i / neighbor_words], i);
    exchange->out[i] = untouched;
  }
}

// What the rank before gives to the one behind it is the second of its blocks.
static void check_exchange(const Run* run, const Exchange* exchange) {
  for (int i = 0; i < 2 * neighbor_words; ++i) {
    const int block = i / neighbor_words, other = (1 - block) * neighbor_words + i % neighbor_words;
    REQUIRE(exchange->out[i] == neighbor_word(exchange->number, run->around[block], world_rank, other),
            "call %llu among neighbors: word %d is wrong", (unsigned long long)exchange->number, i);
  }
}

static void exchange(Run* run, uint64_t number, int form) {
  const MPI_Datatype type = MPI_UINT64_T;
  Exchange* const made = form == 2 ? &run->again : &run->once;
  fill_exchange(run, made, number);
  if (form == 0) {
    MUST(MPI_Neighbor_alltoall(made->in, neighbor_words, type, made->out, neighbor_words, type, run->ring));
  } else {
    if (form == 1)
      MUST(MPI_Ineighbor_alltoall(made->in, neighbor_words, type, made->out, neighbor_words, type, run->ring,
                                  &made->request));
    else
      MUST(MPI_Start(&made->request));
    MUST(MPI_Wait(&made->request, MPI_STATUS_IGNORE));
  }
  check_exchange(run, made);
}

static void roll_call(Run* run, Call* call, uint64_t number) {
  static const int sizes[] = {0, 1, 8, 100, 3000};
  *call = (Call){.number = number};
  call->operation = (Operation)roll(&run->dice, operations);
  call->words = at_most(sizes[roll(&run->dice, 5)], run->max_bytes / 8);
  call->communicator = run->comms[roll(&run->dice, communicators)];
  call->request = MPI_REQUEST_NULL;
  MUST(MPI_Comm_rank(call->communicator, &call->rank));
  MUST(MPI_Comm_size(call->communicator, &call->size));
  call->root = has_root(call->operation) ? roll(&run->dice, 2) % call->size : 0;
  const bool in_place = roll(&run->dice, 4) == 0;
  call->in_place = in_place && may_be_in_place(call);
  prepare(call);
}

static void finish(Call* call) {
  MUST(MPI_Wait(&call->request, MPI_STATUS_IGNORE));
  check(call);
  discard(call);
}

static void finish_pending(Run* run) {
  for (int k = 0; k < run->pending; ++k)
    finish(&run->under_way[k]);
  run->pending = 0;
}

static void make_requests(Run* run) {
  for (int k = 0; k < requests; ++k) {
    roll_call(run, &run->persistent[k], 1000000 + (uint64_t)k);
    make_persistent(&run->persistent[k]);
  }
}

static void free_requests(Run* run) {
  for (int k = 0; k < requests; ++k) {
    MUST(MPI_Request_free(&run->persistent[k].request));
    discard(&run->persistent[k]);
  }
}

// Some of the persistent ones, which each rank starts in its own order.
static void start_persistent(Run* run) {
  const int first = roll(&run->dice, requests), count = 1 + roll(&run->dice, 4),
            turned = roll(&run->own, count);
  for (int k = 0; k < count; ++k) {
    Call* const call = &run->persistent[(first + (k + turned) % count) % requests];
    ++call->turn;
    fill(call);
    MUST(MPI_Start(&call->request));
  }
  for (int k = 0; k < count; ++k) {
    Call* const call = &run->persistent[(first + k) % requests];
    MUST(MPI_Wait(&call->request, MPI_STATUS_IGNORE));
    check(call);
  }
}

static void make_call(Run* run, uint64_t number) {
  if (run->pending == max_under_way || roll(&run->dice, 4) == 0)
    finish_pending(run);
  const int form = roll(&run->dice, 8);
  Call once;
  if (form < 3) {
    roll_call(run, &once, number);
    start_blocking(&once);
    finish(&once);
  } else if (form < 5) {
    Call* const call = &run->under_way[run->pending++];
    roll_call(run, call, number);
    start_nonblocking(call);
  } else if (form < 7) {
    start_persistent(run);
  } else if (run->ring != MPI_COMM_NULL) {
    exchange(run, number, roll(&run->dice, 3));
  }
}

static void make_communicators(Run* run) {
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &run->comms[0]));
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &run->comms[1]));
  run->ring = MPI_COMM_NULL;
  if (world_size < 3)
    return; // between two ranks, which of two messages is whose is up to the library
  run->around[0] = (world_rank + world_size - 1) % world_size;
  run->around[1] = (world_rank + 1) % world_size;
  const int weights[2] = {1, 1};
  MUST(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, run->around, weights, 2, run->around, weights,
                                      MPI_INFO_NULL, 0, &run->ring));
  MUST(MPI_Neighbor_alltoall_init(run->again.in, neighbor_words, MPI_UINT64_T, run->again.out, neighbor_words,
                                  MPI_UINT64_T, run->ring, MPI_INFO_NULL, &run->again.request));
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  REQUIRE(argc == 4, "mixed_calls CALLS SEED MAX_BYTES");
  const uint64_t count = strtoull(argv[1], NULL, 10), seed = strtoull(argv[2], NULL, 10);
  static Run run;
  run.dice = dice_of(seed, 0);
  run.own = dice_of(seed, 1 + (uint64_t)world_rank);
  run.max_bytes = atoi(argv[3]);
  make_communicators(&run);
  make_requests(&run);
  for (uint64_t number = 0; number < count; ++number) {
    be_patient(60);
    context("call %llu", (unsigned long long)number);
    if (number % 5000 == 4999) { // others roll anew, on communicators that know of these
      free_requests(&run);
      make_requests(&run);
    }
    make_call(&run, number);
  }
  finish_pending(&run);
  free_requests(&run);
  if (run.ring != MPI_COMM_NULL) {
    MUST(MPI_Request_free(&run.again.request));
    MUST(MPI_Comm_free(&run.ring));
  }
  for (int which = 0; which < communicators; ++which)
    MUST(MPI_Comm_free(&run.comms[which]));
  if (world_rank == 0)
    puts("passed mixed_calls");
  end();
  return 0;
}

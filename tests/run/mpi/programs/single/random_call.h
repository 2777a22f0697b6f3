/* SPDX-License-Identifier: BSD-3-Clause */
// A random collective of random_calls.c and mixed_calls.c: its buffers, what is in them before, and what must
// be in them after.
#pragma once

#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { guard_words = 8 };
static const uint64_t untouched = 0xC0FFEE5EA5C0FFEEu;

typedef enum {
  op_barrier,
  op_bcast,
  op_reduce,
  op_allreduce,
  op_scan,
  op_exscan,
  op_gather,
  op_scatter,
  op_allgather,
  op_alltoall,
  op_alltoallv,
  op_reduce_scatter_block,
  operations
} Operation;

static const char* const names[operations] = {"barrier",   "bcast",    "reduce",    "allreduce",
                                              "scan",      "exscan",   "gather",    "scatter",
                                              "allgather", "alltoall", "alltoallv", "reduce_scatter_block"};

typedef struct {
  Operation operation;
  uint64_t number;
  uint64_t turn; // of a persistent one: its starts, each with other data
  int words;     // of a unit; alltoallv: at most
  int root;
  bool in_place;
  MPI_Comm communicator;
  int rank, size;
  uint64_t *input, *output;
  size_t input_words, output_words;
  int *counts_out, *places_out, *counts_in, *places_in;
  MPI_Request request;
} Call;

static int at_most(int a, int b) {
  return a < b ? a : b;
}

// Word i of what rank `from` has for rank `to` (0 where it is for all).
static uint64_t word(const Call* call, int from, int to, size_t i) {
  return mix(call->number * 4096 + (uint64_t)from * 64 + (uint64_t)to + (call->turn << 40)) +
         i * (2 * (uint64_t)from + 1);
}

static uint64_t sum(const Call* call, int begin, int end, int to, size_t i) {
  uint64_t all = 0;
  for (int rank = begin; rank < end; ++rank)
    all += word(call, rank, to, i);
  return all;
}

// Words that rank `from` sends to `to` in an alltoallv: often none.
static int count_between(const Call* call, int from, int to) {
  const uint64_t dice = mix(call->number ^ mix((uint64_t)from * 64 + (uint64_t)to));
  return dice % 4 == 0 ? 0 : (int)(dice % (uint64_t)(call->words + 1));
}

static bool sends_units(Operation operation) {
  return operation == op_scatter || operation == op_alltoall || operation == op_reduce_scatter_block;
}

static bool receives_units(Operation operation) {
  return operation == op_gather || operation == op_allgather || operation == op_alltoall;
}

static bool has_root(Operation operation) {
  return operation == op_bcast || operation == op_reduce || operation == op_gather || operation == op_scatter;
}

static bool may_be_in_place(const Call* call) {
  switch (call->operation) {
  case op_reduce:
  case op_gather:
  case op_scatter:
    return call->rank == call->root;
  case op_allreduce:
  case op_scan:
  case op_exscan:
  case op_allgather:
    return true;
  default:
    return false;
  }
}

static bool gets_output(const Call* call) {
  const bool only_root = call->operation == op_reduce || call->operation == op_gather;
  return !only_root || call->rank == call->root;
}

static void lay_out_alltoallv(Call* call) {
  int** const lists[] = {&call->counts_out, &call->places_out, &call->counts_in, &call->places_in};
  for (size_t list = 0; list < sizeof lists / sizeof *lists; ++list)
    *lists[list] = calloc((size_t)call->size, sizeof(int));
  for (int peer = 0; peer < call->size; ++peer) {
    call->counts_out[peer] = count_between(call, call->rank, peer);
    call->counts_in[peer] = count_between(call, peer, call->rank);
    call->places_out[peer] = (int)call->input_words;
    call->places_in[peer] = (int)call->output_words;
    call->input_words += (size_t)call->counts_out[peer];
    call->output_words += (size_t)call->counts_in[peer];
  }
}

static void fill_input(Call* call) {
  const size_t words = (size_t)call->words;
  if (call->operation == op_alltoallv) {
    for (int peer = 0; peer < call->size; ++peer)
      for (int i = 0; i < call->counts_out[peer]; ++i)
        call->input[call->places_out[peer] + i] = word(call, call->rank, peer, (size_t)i);
    return;
  }
  for (size_t at = 0; at < call->input_words; ++at) {
    const int to = sends_units(call->operation) ? (int)(at / words) : 0;
    call->input[at] = word(call, call->rank, to, words == 0 ? 0 : at % words);
  }
}

static void fill(Call* call) {
  const size_t words = call->operation == op_barrier ? 0 : (size_t)call->words;
  fill_input(call);
  for (size_t at = 0; at < call->output_words + guard_words; ++at)
    call->output[at] = untouched;
  if (call->operation == op_bcast && call->rank == call->root)
    memcpy(call->output, call->input, call->input_words * sizeof *call->input);
  if (!call->in_place)
    return;
  const size_t own = receives_units(call->operation) ? words * (size_t)call->rank : 0;
  if (call->operation != op_scatter)
    memcpy(call->output + own, call->input, words * sizeof *call->input);
}

static void prepare(Call* call) {
  const size_t words = call->operation == op_barrier ? 0 : (size_t)call->words;
  const size_t units = (size_t)call->size;
  if (call->operation == op_alltoallv) {
    lay_out_alltoallv(call);
  } else {
    call->input_words = words * (sends_units(call->operation) ? units : 1);
    call->output_words = words * (receives_units(call->operation) ? units : 1);
  }
  call->input = malloc((call->input_words + 1) * sizeof *call->input);
  call->output = malloc((call->output_words + guard_words) * sizeof *call->output);
  fill(call);
}

// What word `at` of the output must be; false where MPI leaves it open.
static bool expected(const Call* call, size_t at, uint64_t* value) {
  const size_t words = call->words == 0 ? 1 : (size_t)call->words;
  const int unit = (int)(at / words);
  const size_t i = at % words;
  switch (call->operation) {
  case op_bcast:
    *value = word(call, call->root, 0, i);
    return true;
  case op_reduce:
  case op_allreduce:
    *value = sum(call, 0, call->size, 0, i);
    return true;
  case op_scan:
    *value = sum(call, 0, call->rank + 1, 0, i);
    return true;
  case op_exscan:
    *value = sum(call, 0, call->rank, 0, i);
    return call->rank > 0;
  case op_gather:
  case op_allgather:
    *value = word(call, unit, 0, i);
    return true;
  case op_scatter:
    *value = word(call, call->root, call->rank, i);
    return true;
  case op_alltoall:
    *value = word(call, unit, call->rank, i);
    return true;
  case op_reduce_scatter_block:
    *value = sum(call, 0, call->size, call->rank, i);
    return true;
  default:
    return false;
  }
}

static void check_word(const Call* call, size_t at, uint64_t wanted) {
  REQUIRE(call->output[at] == wanted,
          "call %llu (%s, %d words, root %d of %d ranks, rank %d%s): word %zu is %llx, not %llx",
          (unsigned long long)call->number, names[call->operation], call->words, call->root, call->size,
          call->rank, call->in_place ? ", in place" : "", at, (unsigned long long)call->output[at],
          (unsigned long long)wanted);
}

static void check(const Call* call) {
  const bool in_place_scatter = call->operation == op_scatter && call->in_place;
  if (call->operation == op_alltoallv) {
    for (int peer = 0; peer < call->size; ++peer)
      for (int i = 0; i < call->counts_in[peer]; ++i)
        check_word(call, (size_t)(call->places_in[peer] + i), word(call, peer, call->rank, (size_t)i));
  } else if (gets_output(call) && !in_place_scatter) {
    uint64_t wanted = 0;
    for (size_t at = 0; at < call->output_words; ++at)
      if (expected(call, at, &wanted))
        check_word(call, at, wanted);
  }
  for (size_t at = 0; at < guard_words; ++at)
    check_word(call, call->output_words + at, untouched);
}

static void discard(Call* call) {
  int* const lists[] = {call->counts_out, call->places_out, call->counts_in, call->places_in};
  for (size_t list = 0; list < sizeof lists / sizeof *lists; ++list)
    free(lists[list]);
  free(call->input);
  free(call->output);
  memset(call, 0, sizeof *call);
  call->request = MPI_REQUEST_NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
// Random collectives: random_calls CALLS SEED MAX_BYTES SELECTIONS...
//
// All ranks roll the same calls: operation, size, root, communicator, in place or not, blocking or up to some
// under way at once. Every word that arrives is checked, and that nothing else was written. Now and then
// another of the selections takes over (thalweg_set_selection), or a communicator is freed and made again.
#define _GNU_SOURCE
#include "check.h"
#include "single/random_call.h"
#include "single/random_starts.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { communicators = 4, max_under_way = 6 };

static void finish(Call* call) {
  MUST(MPI_Wait(&call->request, MPI_STATUS_IGNORE));
  check(call);
  discard(call);
}

// 0: like the world's; 1: turned round; 2 and 3: two halves, by order and by parity.
static MPI_Comm make_communicator(int which) {
  MPI_Comm made = MPI_COMM_NULL;
  if (which == 0)
    MUST(MPI_Comm_dup(MPI_COMM_WORLD, &made));
  else if (which == 1)
    MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &made));
  else
    MUST(MPI_Comm_split(MPI_COMM_WORLD, which == 2 ? world_rank < world_size / 2 : world_rank % 2, 0, &made));
  return made;
}

// As many small sizes as large ones, by order of magnitude.
static int roll_words(Dice* dice, int max_bytes) {
  int largest = 1;
  while (largest < max_bytes / 8 && roll(dice, 12) != 0)
    largest *= 2;
  return roll(dice, at_most(largest, max_bytes / 8) + 1);
}

static void roll_call(Call* call, Dice* dice, uint64_t number, MPI_Comm communicator, int max_bytes) {
  call->number = number;
  call->operation = (Operation)roll(dice, operations);
  call->words = roll_words(dice, max_bytes);
  call->communicator = communicator;
  MUST(MPI_Comm_rank(communicator, &call->rank));
  MUST(MPI_Comm_size(communicator, &call->size));
  const int root = roll(dice, 1 << 20) % call->size;
  call->root = has_root(call->operation) ? root : 0;
  const bool in_place = roll(dice, 4) == 0;
  call->in_place = in_place && may_be_in_place(call);
  prepare(call);
}

typedef struct {
  Dice dice;
  int max_bytes;
  MPI_Comm comms[communicators];
  Call under_way[max_under_way];
  int pending;
} Run;

static void finish_pending(Run* run) {
  for (int k = 0; k < run->pending; ++k)
    finish(&run->under_way[k]);
  run->pending = 0;
}

static void choose_another(Run* run, int count, char** selections) {
  int (*const choose)(const char*) = (int (*)(const char*))dlsym(RTLD_DEFAULT, "thalweg_set_selection");
  finish_pending(run);
  const char* const selection = selections[roll(&run->dice, count)];
  REQUIRE(choose == NULL || choose(selection) == 0, "%s was not understood", selection);
}

static void make_again(Run* run) {
  finish_pending(run);
  const int which = roll(&run->dice, communicators);
  MUST(MPI_Comm_free(&run->comms[which]));
  run->comms[which] = make_communicator(which);
}

static void make_call(Run* run, uint64_t number) {
  Dice* const dice = &run->dice;
  if (roll(dice, 500) == 0)
    make_again(run);
  if (run->pending == max_under_way || roll(dice, 4) == 0)
    finish_pending(run);
  const MPI_Comm communicator = run->comms[roll(dice, communicators)];
  const bool blocking = roll(dice, 3) != 0;
  Call once = {.request = MPI_REQUEST_NULL};
  Call* const call = blocking ? &once : &run->under_way[run->pending];
  call->request = MPI_REQUEST_NULL;
  roll_call(call, dice, number, communicator, run->max_bytes);
  if (blocking) {
    start_blocking(call);
    finish(call);
  } else {
    start_nonblocking(call);
    ++run->pending;
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  REQUIRE(argc >= 4, "random_calls CALLS SEED MAX_BYTES SELECTIONS...");
  const uint64_t count = strtoull(argv[1], NULL, 10);
  static Run run;
  run.dice = dice_of(strtoull(argv[2], NULL, 10), 0);
  run.max_bytes = atoi(argv[3]);
  for (int which = 0; which < communicators; ++which)
    run.comms[which] = make_communicator(which);
  printf("rank %d begins\n", world_rank);
  fflush(stdout);
  for (uint64_t number = 0; number < count; ++number) {
    be_patient(60);
    context("call %llu", (unsigned long long)number);
    if (number % 64 == 0 && argc > 4)
      choose_another(&run, argc - 4, argv + 4);
    make_call(&run, number);
  }
  finish_pending(&run);
  for (int which = 0; which < communicators; ++which)
    MUST(MPI_Comm_free(&run.comms[which]));
  if (world_rank == 0)
    printf("%llu calls\n", (unsigned long long)count);
  end();
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The same as remote_memory.c, of OpenSHMEM: remote_memory_shmem TURNS BYTES... */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { max_turns = 100 };
enum what { put, get, ping, row, whats };
static const char* const what_names[whats] = {"put", "get", "ping", "row"};

static int rank, peer;
static char *memory, *own;
static long* flag;
static long sequence;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void give(size_t bytes) {
  shmem_putmem(memory, own, bytes, peer);
  shmem_fence();
  shmem_long_p(flag, ++sequence, peer);
}

static void take(void) {
  shmem_long_wait_until(flag, SHMEM_CMP_GE, ++sequence);
}

static double measure(enum what what, size_t bytes, int calls) {
  const int in_row = what == row ? (bytes <= 1024 ? 256 : 16) : 1;
  shmem_barrier_all();
  const double begun = now();
  for (int call = 0; call < calls; ++call) {
    if (what == ping && rank == 0) {
      give(bytes);
      take();
    } else if (what == ping) {
      take();
      give(bytes);
    } else if (rank == 0 && what == get) {
      shmem_getmem(own, memory, bytes, peer);
    } else if (rank == 0) {
      for (int i = 0; i < in_row; ++i)
        shmem_putmem(memory, own, bytes, peer);
      shmem_quiet();
    }
  }
  const double taken = now() - begun;
  shmem_barrier_all();
  return taken / calls / (what == ping ? 2 : in_row);
}

static int ascending(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

int main(int argc, char** argv) {
  shmem_init();
  rank = shmem_my_pe();
  peer = 1 - rank;
  size_t room = 64;
  for (int argument = 2; argument < argc; ++argument)
    if ((size_t)atoll(argv[argument]) > room)
      room = (size_t)atoll(argv[argument]);
  memory = shmem_malloc(room);
  flag = shmem_malloc(64);
  own = calloc(1, room);
  *flag = 0;
  const int turns = argc > 1 && atoi(argv[1]) < max_turns ? atoi(argv[1]) : max_turns;
  for (int what = 0; what < whats; ++what)
    for (int argument = 2; argument < argc; ++argument) {
      const size_t bytes = (size_t)atoll(argv[argument]);
      int calls = bytes <= 8192 ? 1000 : bytes <= 131072 ? 100 : 10;
      if (what == row)
        calls = calls / 10 + 1;
      double taken[max_turns];
      for (int turn = -1; turn < turns; ++turn) /* one to warm up */
        taken[turn < 0 ? 0 : turn] = measure((enum what)what, bytes, calls);
      qsort(taken, (size_t)turns, sizeof *taken, ascending);
      if (rank == 0)
        printf("%s %zu shmem %.9f\n", what_names[what], bytes, taken[turns / 2]);
    }
  free(own);
  shmem_finalize();
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "distance.h"

#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { turns = 16, samples = 6, blocks = 5, looks_per_clock = 64 };
static const double patience = 2e-4, long_patience = 2e-2;

/* Processors fetch lines in pairs. */
struct line {
  _Alignas(128) atomic_uint value;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double shorter(double before, double seconds) {
  return before == 0 || seconds < before ? seconds : before;
}

static int await(atomic_uint* line, unsigned value, double end) {
  for (unsigned looked = 1;; ++looked) {
    if (atomic_load_explicit(line, memory_order_acquire) == value)
      return 1;
    if (looked % looks_per_clock == 0 && now() > end)
      return 0;
  }
}

/* One line goes there and back, as both write to it. Its numbers in a look are unlike those in any other, so
 * that ranks that missed one meet in the next. */
static unsigned first_number(unsigned look) {
  return look * 2 * turns * (samples + 1);
}

static double ask(struct line* line, unsigned look, double end) {
  double shortest = 0;
  unsigned number = first_number(look);
  for (int sample = 0; sample <= samples; ++sample) {
    const double begin = now();
    for (int turn = 0; turn < turns; ++turn, number += 2) {
      atomic_store_explicit(&line->value, number + 1, memory_order_release);
      if (!await(&line->value, number + 2, end))
        return shortest;
    }
    if (sample > 0) /* in the first one they met */
      shortest = shorter(shortest, (now() - begin) / turns);
  }
  return shortest;
}

static void answer(struct line* line, unsigned look, double end) {
  const unsigned last = first_number(look + 1);
  for (unsigned number = first_number(look); number != last; number += 2) {
    if (!await(&line->value, number + 1, end))
      return;
    atomic_store_explicit(&line->value, number + 2, memory_order_release);
  }
}

/* Two threads of this process. */
static struct {
  struct line line, turn;
  _Alignas(4096) char block[distance_block];
  int processor;
  atomic_int is_there;
  double read;
} both;

static int stay_on(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

static double timed_copy(char* to, const char* from) {
  const double begin = now();
  memcpy(to, from, distance_block);
  __asm__ volatile("" ::: "memory");
  return now() - begin;
}

/* Copies blocks out, each once it has been written. */
static void read_blocks(double end) {
  static char own[distance_block];
  both.read = 0;
  for (unsigned number = 1; number <= blocks; ++number) {
    if (!await(&both.turn.value, 2 * number - 1, end))
      return;
    const double seconds = timed_copy(own, both.block);
    if (number > 1)
      both.read = shorter(both.read, seconds);
    atomic_store_explicit(&both.turn.value, 2 * number, memory_order_release);
  }
}

static double write_blocks(double end) {
  static char own[distance_block];
  double shortest = 0;
  for (unsigned number = 1; number <= blocks; ++number) {
    memset(own, (int)number, sizeof own);
    const double seconds = timed_copy(both.block, own);
    if (number > 1)
      shortest = shorter(shortest, seconds);
    atomic_store_explicit(&both.turn.value, 2 * number - 1, memory_order_release);
    if (!await(&both.turn.value, 2 * number, end))
      return 0;
  }
  return shortest;
}

static void* other_end(void* unused) {
  (void)unused;
  const int stays = stay_on(both.processor);
  atomic_store_explicit(&both.is_there, stays ? 1 : -1, memory_order_release);
  if (!stays)
    return NULL;
  const double end = now() + long_patience;
  answer(&both.line, 0, end);
  read_blocks(end);
  return NULL;
}

static struct core_distance measure_from_here(int other) {
  struct core_distance found = {0, 0, 0};
  pthread_t thread;
  memset(&both, 0, sizeof both);
  both.processor = other;
  if (pthread_create(&thread, NULL, other_end, NULL) != 0)
    return found;
  while (atomic_load_explicit(&both.is_there, memory_order_acquire) == 0)
    sched_yield();
  if (atomic_load(&both.is_there) > 0) {
    const double end = now() + long_patience;
    found.round_trip = ask(&both.line, 0, end);
    found.block_write = write_blocks(end);
  }
  pthread_join(thread, NULL);
  found.block_read = found.block_write > 0 ? both.read : 0;
  return found;
}

struct core_distance measure_processors(int one, int other) {
  struct core_distance found = {0, 0, 0};
  cpu_set_t before;
  if (one < 0 || other < 0 || one >= CPU_SETSIZE || other >= CPU_SETSIZE || one == other ||
      sched_getaffinity(0, sizeof before, &before) != 0)
    return found;
  if (stay_on(one))
    found = measure_from_here(other);
  sched_setaffinity(0, sizeof before, &before);
  return found;
}

int usable_processors(int first, int last, double* numbers, int room) {
  int count = 0;
  cpu_set_t before;
  if (sched_getaffinity(0, sizeof before, &before) != 0)
    return 0;
  for (int processor = first < 0 ? 0 : first; processor <= last && processor < CPU_SETSIZE && count < room;
       ++processor)
    if (stay_on(processor))
      numbers[count++] = processor;
  sched_setaffinity(0, sizeof before, &before);
  return count;
}

/* Of the ranks of this node. */
static struct line* lines;
static int place, here;
static unsigned looks;

/* Memory that the first rank makes and the others open; NULL where one of them cannot. */
static void* shared_memory(MPI_Comm node, size_t bytes) {
  int made[2] = {(int)getpid(), -1};
  if (place == 0 && (made[1] = memfd_create("thalweg-trial", MFD_CLOEXEC)) >= 0 &&
      ftruncate(made[1], (off_t)bytes) != 0)
    made[1] = -1;
  MPI_Bcast(made, 2, MPI_INT, 0, node);
  int file = made[1];
  if (place != 0 && file >= 0) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", made[0], made[1]);
    file = open(path, O_RDWR | O_CLOEXEC);
  }
  void* memory = file < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  int have_it = memory != MAP_FAILED, have_all = 0;
  MPI_Allreduce(&have_it, &have_all, 1, MPI_INT, MPI_MIN, node);
  if (file >= 0)
    close(file);
  return have_all ? memory : NULL;
}

void share_lines(int have_cores) {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &place);
  MPI_Comm_size(node, &here);
  if (have_cores && here > 1)
    lines = shared_memory(node, (size_t)(here / 2) * sizeof *lines);
  MPI_Comm_free(&node);
}

double look_at_neighbor(void) {
  const unsigned look = looks++;
  struct line* const own = lines == NULL ? NULL : &lines[place / 2];
  if (own == NULL || place / 2 >= here / 2)
    return 0;
  if (place % 2 == 0)
    return ask(own, look, now() + patience);
  answer(own, look, now() + patience);
  return 0;
}

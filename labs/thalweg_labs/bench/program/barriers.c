/* SPDX-License-Identifier: BSD-3-Clause */
/* Times barriers of the threads of a process, and of MPI's ranks. Without MPI's variables: THREADS TURNS. All
 * ways take turns; a line each: way, and the median of its seconds.
 *
 * Threads come together along a tree, up to its root, and are released down the same tree. In either
 * direction who has something to say writes it where the other one looks (push: each thread waits on its own
 * cache line), or at its own place, where the other one looks (pull). In a flat tree all threads are
 * children of the root. After Mellor-Crummey and Scott (1991), section 3; with root and shape as parameters
 * as in Nishtala 2009. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { max_threads = 64, max_turns = 99, max_ways = 1024, line_bytes = 64, spins = 200 };

struct flag {
  _Alignas(2 * line_bytes) atomic_uint value;
};

struct way {
  int is_pthread, pushes_up, pushes_down, arity, root;
};

static int threads, turns, way_count, calls = 2000, shares_cores;
static struct way ways[max_ways];
static double seconds[max_ways][max_turns];
static struct flag arrived[max_threads][max_threads]; /* of a thread, for each of its children */
static struct flag done[max_threads];                 /* of a thread itself */
static struct flag released[max_threads];             /* of a thread itself, or for it */
static pthread_barrier_t ready, of_threads;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for(struct flag* flag, unsigned value) {
  for (int i = 1; (int)(atomic_load_explicit(&flag->value, memory_order_acquire) - value) < 0; ++i)
    if (shares_cores || i % spins == 0)
      sched_yield();
}

static void set_flag(struct flag* flag, unsigned value) {
  atomic_store_explicit(&flag->value, value, memory_order_release);
}

static void meet(const struct way* way, int thread, unsigned round) {
  const int place = (thread - way->root + threads) % threads;
  const int parent = place == 0 ? -1 : ((place - 1) / way->arity + way->root) % threads;
  const int first = place * way->arity + 1;
  for (int child = first; child < first + way->arity && child < threads; ++child) {
    const int who = (child + way->root) % threads;
    wait_for(way->pushes_up ? &arrived[thread][who] : &done[who], round);
  }
  if (parent >= 0) {
    set_flag(way->pushes_up ? &arrived[parent][thread] : &done[thread], round);
    wait_for(way->pushes_down ? &released[thread] : &released[parent], round);
  }
  if (!way->pushes_down)
    set_flag(&released[thread], round);
  else
    for (int child = first; child < first + way->arity && child < threads; ++child)
      set_flag(&released[(child + way->root) % threads], round);
}

static double run_way(const struct way* way, int thread, unsigned* round) {
  pthread_barrier_wait(&ready);
  const double begin = now();
  for (int i = 0; i < calls; ++i)
    if (way->is_pthread)
      pthread_barrier_wait(&of_threads);
    else
      meet(way, thread, ++*round);
  pthread_barrier_wait(&ready);
  return (now() - begin) / calls;
}

static void clear_flags(int thread) {
  pthread_barrier_wait(&ready);
  set_flag(&done[thread], 0);
  set_flag(&released[thread], 0);
  for (int other = 0; other < threads; ++other)
    set_flag(&arrived[thread][other], 0);
  pthread_barrier_wait(&ready);
}

static void* run_thread(void* argument) {
  const int thread = (int)(size_t)argument;
  for (int turn = 0; turn < turns; ++turn)
    for (int way = 0; way < way_count; ++way) {
      unsigned round = 0;
      clear_flags(thread);
      const double taken = run_way(&ways[way], thread, &round);
      if (thread == 0)
        seconds[way][turn] = taken;
    }
  return NULL;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}

static void add_ways(void) {
  ways[way_count++] = (struct way){.is_pthread = 1};
  for (int arity = 2;; arity = arity * 2 < threads - 1 ? arity * 2 : threads - 1) {
    const int used = arity < threads - 1 ? arity : threads > 2 ? threads - 1 : 1;
    for (int root = 0; root < threads; ++root)
      for (int ends = 0; ends < 4; ++ends)
        if (way_count < max_ways)
          ways[way_count++] = (struct way){0, ends & 1, ends >> 1, used, root};
    if (used >= threads - 1)
      return;
  }
}

static void time_threads(void) {
  pthread_t others[max_threads];
  pthread_barrier_init(&ready, NULL, (unsigned)threads);
  pthread_barrier_init(&of_threads, NULL, (unsigned)threads);
  add_ways();
  for (size_t thread = 1; thread < (size_t)threads; ++thread)
    pthread_create(&others[thread], NULL, run_thread, (void*)thread);
  run_thread(NULL);
  for (int thread = 1; thread < threads; ++thread)
    pthread_join(others[thread], NULL);
  for (int way = 0; way < way_count; ++way) {
    const struct way* const one = &ways[way];
    if (one->is_pthread)
      printf("pthread_barrier");
    else
      printf("up=%s:down=%s:arity=%d:root=%d", one->pushes_up ? "push" : "pull",
             one->pushes_down ? "push" : "pull", one->arity, one->root);
    printf(" %.9g\n", median(seconds[way], turns));
  }
}

static void time_ranks(int rank) {
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    for (int i = 0; i < calls; ++i)
      MPI_Barrier(MPI_COMM_WORLD);
    seconds[0][turn] = (now() - begin) / calls;
  }
  if (rank == 0)
    printf("MPI_Barrier %.9g\n", median(seconds[0], turns));
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  threads = argc > 1 ? atoi(argv[1]) : 2;
  turns = argc > 2 ? atoi(argv[2]) : 9;
  cpu_set_t cores;
  if (threads < 2 || threads > max_threads || turns < 1 || turns > max_turns ||
      sched_getaffinity(0, sizeof cores, &cores) != 0)
    MPI_Abort(MPI_COMM_WORLD, 2);
  shares_cores = threads > CPU_COUNT(&cores);
  if (shares_cores)
    calls /= 10;
  if (ranks > 1)
    time_ranks(rank);
  else
    time_threads();
  MPI_Finalize();
  return 0;
}

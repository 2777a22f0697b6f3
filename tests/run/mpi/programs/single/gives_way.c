/* SPDX-License-Identifier: BSD-3-Clause */
// How often a rank that waits in MPI_Bcast gives its core to a thread that wants it too. Rank 1 waits on one
// core, on which another thread of its process counts its turns, until rank 0 comes a second later.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int has_ended;
static long turns;

// By the system call: sched_yield may be another's here.
static void* count_turns(void* unused) {
  while (!atomic_load(&has_ended)) {
    ++turns;
    syscall(SYS_sched_yield);
  }
  return unused;
}

static void stay_here(void) {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET((size_t)sched_getcpu(), &core);
  sched_setaffinity(0, sizeof core, &core);
}

int main(int argc, char** argv) {
  int rank, word = 0, sum = 0;
  pthread_t thread;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    sleep(1);
  if (rank == 1) {
    stay_here();
    pthread_create(&thread, NULL, count_turns, NULL);
  }
  MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    atomic_store(&has_ended, 1);
    pthread_join(thread, NULL);
    printf("%ld\n", turns);
  }
  MPI_Finalize();
  return 0;
}

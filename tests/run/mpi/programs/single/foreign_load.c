/* SPDX-License-Identifier: BSD-3-Clause */
// Where foreign processes want all cores that a rank may run on, sched_yield lets it sleep now and then;
// `--stays` if it must not.
#define _GNU_SOURCE
#include "check.h"

#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { max_busy = 16 };

static void stay_here(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

static pid_t compute(void) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    for (volatile long turn = 0;; ++turn)
      ;
  }
  return child;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// A process that sleeps gives its core away of its own accord; one that yields does not.
static long sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  be_patient(120);
  const int stays = argc > 1 && strcmp(argv[argc - 1], "--stays") == 0;
  if (world_rank == 0) {
    const int wanted = 20;
    cpu_set_t allowed;
    pid_t busy[max_busy];
    const int count = world_size + 1 < max_busy ? world_size + 1 : max_busy;
    sched_getaffinity(0, sizeof allowed, &allowed);
    stay_here();
    for (int one = 0; one < count; ++one)
      busy[one] = compute();
    const long before = sleeps();
    const double begun = now();
    for (int taken = 0; taken < 50 && sleeps() - before < wanted && now() - begun < 60;) {
      const double yields = now();
      sched_yield();
      taken += now() - yields > 1e-3;
    }
    const long slept = sleeps() - before;
    for (int one = 0; one < count; ++one) {
      kill(busy[one], SIGKILL);
      waitpid(busy[one], NULL, 0);
    }
    sched_setaffinity(0, sizeof allowed, &allowed);
    REQUIRE((slept >= wanted) == !stays, "it slept %ld times", slept);
  }
  MUST(MPI_Barrier(MPI_COMM_WORLD));
  end();
  return 0;
}

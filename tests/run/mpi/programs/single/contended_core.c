/* SPDX-License-Identifier: BSD-3-Clause */
// Where somebody computes on a rank's core, sched_yield brings the rank to another one and leaves it allowed
// where it was; `--stays` if it must not.
#define _GNU_SOURCE
#include "check.h"

#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int settings_of_affinity = 0; // no compiler expects sched_yield to change it

// In front of the C library's, so that it sees what the preloaded library asks for.
int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t* allowed) {
  settings_of_affinity += 1;
  return (int)syscall(SYS_sched_setaffinity, thread, size, allowed);
}

static void go_to(int core, const cpu_set_t* allowed) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  syscall(SYS_sched_setaffinity, 0, sizeof one, &one);
  syscall(SYS_sched_setaffinity, 0, sizeof *allowed, allowed);
}

static pid_t compute_on(int core) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    syscall(SYS_sched_setaffinity, 0, sizeof one, &one);
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

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  be_patient(120);
  const int stays = argc > 1 && strcmp(argv[argc - 1], "--stays") == 0;
  if (world_rank == 0) {
    cpu_set_t allowed, after;
    sched_getaffinity(0, sizeof allowed, &allowed);
    REQUIRE(CPU_COUNT(&allowed) > 1, "the rank has one core only%s", "");
    const int core = sched_getcpu();
    const pid_t busy = compute_on(core);
    settings_of_affinity = 0;
    const double begun = now();
    for (int taken = 0; taken < 50 && settings_of_affinity == 0 && now() - begun < 60;) {
      go_to(core, &allowed); // from where the kernel may have brought it meanwhile
      const double before = now();
      sched_yield();
      taken += now() - before > 1e-3;
    }
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
    sched_getaffinity(0, sizeof after, &after);
    REQUIRE(settings_of_affinity == (stays ? 0 : 2), "its affinity was set %d times", settings_of_affinity);
    REQUIRE(CPU_EQUAL(&allowed, &after), "it is allowed on %d cores, not %d as before", CPU_COUNT(&after),
            CPU_COUNT(&allowed));
  }
  MUST(MPI_Barrier(MPI_COMM_WORLD));
  end();
  return 0;
}

/* What two processes take to write a cache line each and see the other's: prints the seconds, the least of
 * several rows, as the kernel may put both on one core for a while. */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { rows = 9, exchanges = 100000, line = 64, looks = 1000 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for(_Atomic uint64_t* flag, uint64_t value) {
  for (int look = 0; atomic_load_explicit(flag, memory_order_acquire) < value;
       ++look) /* the other may be one ahead */
    if (look == looks) {
      sched_yield();
      look = 0;
    }
}

int main(void) {
  char* memory = mmap(NULL, 4 * line, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 1;
  const pid_t child = fork();
  if (child < 0)
    return 1;
  _Atomic uint64_t* own = (_Atomic uint64_t*)(memory + (child == 0 ? 2 * line : 0));
  _Atomic uint64_t* other = (_Atomic uint64_t*)(memory + (child == 0 ? 0 : 2 * line));
  double lowest = 1;
  for (uint64_t row = 0; row < rows; ++row) {
    const double begun = now();
    for (uint64_t i = 1; i <= exchanges; ++i) {
      atomic_store_explicit(own, row * exchanges + i, memory_order_release);
      wait_for(other, row * exchanges + i);
    }
    const double taken = (now() - begun) / exchanges;
    lowest = taken < lowest ? taken : lowest;
  }
  if (child == 0)
    _exit(0);
  printf("%.12f\n", lowest);
  waitpid(child, NULL, 0);
  return 0;
}

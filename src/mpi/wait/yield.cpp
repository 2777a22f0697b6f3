// Libraries that yield while they wait call sched_yield: Open MPI's progress where ranks outnumber cores.
// This function in front of the C library's brings a rank that loses milliseconds so to a core where it does
// not (wait/contended_cores.hpp). Beside a foreign process that computed, Open MPI 4.1's barrier of 8 ranks
// on 2 cores took 2.6 ms without it, 0.04 with it, and 0.012 in quiet.

#include "mpi/wait/wait_mode.hpp"

#include <sched.h>

extern "C" __attribute__((visibility("default"))) int sched_yield() noexcept {
  using namespace thalweg;
  if (!mpi::leaves_contended_cores.load(std::memory_order_relaxed)) {
    wait::System::yield();
    return 0;
  }
  wait::System system;
  wait::yield_or_move(system, wait::thread_yield_history(), system.now_ns());
  return 0;
}

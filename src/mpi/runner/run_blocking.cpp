#include "mpi/runner/run_blocking.hpp"

#include "mpi/politeness.hpp"
#include "mpi/progress.hpp"

namespace thalweg::mpi {

void run_blocking(engine::Execution& execution) {
  if (!waits_politely() && executions_in_flight.load(std::memory_order_relaxed) == 0) {
    execution.run();
    return;
  }
  engine::Waiter waiter = polite_waiter();
  std::size_t stage = execution.stage();
  while (!execution.progress()) {
    progress_executions();
    if (stage != execution.stage())
      waiter.reset();
    stage = execution.stage();
    if (waits_politely())
      waiter.pause();
  }
}

} // namespace thalweg::mpi

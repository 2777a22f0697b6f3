// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/run_blocking.hpp"

#include "mpi/wait/polling.hpp"

namespace thalweg::mpi {

void run_blocking(engine::Runnable& execution, const transport::Transport& transport) {
  if (!must_poll() || transport.waits_by_looking()) {
    execution.run();
    return;
  }
  wait::Waiter waiter = yielding_waiter();
  std::size_t stage = execution.stage();
  while (!execution.progress()) {
    progress_in_wait();
    if (stage != execution.stage())
      waiter.reset();
    stage = execution.stage();
    if (yields_when_waiting())
      waiter.pause();
  }
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/record/one_sided.hpp"
#include "handlers.hpp"
#include "mpi/entry/entry.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/trace/traced_windows.hpp"

namespace thalweg::mpi {

int handle_Win_free(const CallSite& site, MPI_Win* window) {
  const CallObserver observer(Function::Win_free, site, MPI_COMM_NULL, no_bytes);
  if (process.observation.traffic && window != nullptr)
    recorded_window_freed(*window);
  if (process.observation.is_tracing() && window != nullptr)
    trace_window_freed(*window);
  return native.Win_free(window);
}

} // namespace thalweg::mpi

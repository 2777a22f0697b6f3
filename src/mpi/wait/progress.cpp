#include "mpi/wait/progress.hpp"

#include <utility>

#include "mpi/observe/ticks.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/wait/polling.hpp"
#include "mpi/wait/stream_hooks.hpp"

namespace thalweg::mpi {

namespace {

constinit thread_local bool streams_progress = false; // in this thread: their own MPI calls come here as well
constinit thread_local std::uint64_t streams_looked_ticks = 0;

// A look at streams between nodes takes as long as a short call, so that programs which make many calls would
// feel one in each.
bool is_due() {
  const std::uint64_t now = observe::ticks();
  if (now - streams_looked_ticks < observe::lengthy_ticks()) {
    return false;
  }
  streams_looked_ticks = now;
  return true;
}

// What handlers call is the program's, as it is when they run in calls of streams.
bool progress_streams() {
  streams_progress = true;
  ++looking;
  const int outer_depth = std::exchange(depth, 0);
  const bool moved = call_stream_hooks();
  depth = outer_depth;
  --looking;
  streams_progress = false;
  return moved;
}

} // namespace

bool progress_background(bool waits) noexcept {
  progress_executions();
  return has_stream_hooks() && !streams_progress && (waits || is_due()) && progress_streams();
}

} // namespace thalweg::mpi

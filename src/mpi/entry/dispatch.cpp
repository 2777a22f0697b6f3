#include "mpi/entry/dispatch.hpp"

#include "mpi/call/datatypes.hpp"
#include "mpi/decide/decide.hpp"
#include "mpi/entry/observed.hpp"
#include "mpi/entry/startup.hpp"
#include "mpi/learn/learned_choice.hpp"
#include "mpi/run/collective_runner.hpp"
#include "mpi/run/fast_path.hpp"
#include "mpi/run/nonblocking_counterpart.hpp"
#include "mpi/run/recent_calls.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/progress.hpp"

namespace thalweg::mpi {

namespace {

int make_native(const CollectiveCall& call, CommunicatorState& communicator, bool blocks) {
  const bool polls =
      runtime.polls_collectives && communicator.agreed && call.function->mode == Mode::blocking;
  // Nonblocking and blocking collectives never match each other, so all ranks must decide alike.
  if (polls && !blocks) {
    if (has_sound_counterpart(call, communicator)) {
      return call_by_counterpart(call);
    }
    // Nobody waits inside of the library for a rank that still waits for an operation of ours in flight here.
    barrier_before_creation(call.comm);
  }
  return call.function->native(call);
}

Decision make(const CollectiveCall& call, CommunicatorState& communicator) {
  Decision decision = run_collective(call, communicator, decide(call, communicator));
  if (decision.outcome == Outcome::declined) {
    decision.code = make_native(call, communicator, decision.blocks);
  }
  if (communicator.is_measured) [[unlikely]] {
    learned_call_ended(call, communicator, decision.was_refused);
  }
  return decision;
}

int make_and_record(const CollectiveCall& call, CommunicatorState& communicator, observe::CallRow& row) {
  const bool blocking = call.function->mode == Mode::blocking;
  const std::uint64_t index = blocking ? communicator.blocking_calls++ : 1;
  const bool sampled = blocking && communicator.samples.wants(index);
  row.bytes += payload_bytes(call, communicator);
  observe::Stopwatch watch;
  watch.start(row, sampled);
  const Decision decision = make(call, communicator);
  watch.stop(row);
  row.ended(decision.strategy, decision.reason);
  if (sampled) {
    communicator.samples.add({index, watch.start_ticks(), watch.stop_ticks(), &row});
  }
  return decision.code;
}

} // namespace

int dispatch(const CollectiveCall& call) noexcept {
  const Inside inside;
  if (!runtime.ready) [[unlikely]] {
    start_late();
  }
  CommunicatorState* communicator = find_communicator(call.comm);
  if (communicator == nullptr) {
    return call.function->native(call); // the library says what is wrong
  }
  progress_executions();
  if (!recording) {
    communicator->blocking_calls += call.function->mode == Mode::blocking ? 1 : 0;
    const Decision decision = make(call, *communicator);
    if (runtime.passes_calls && decision.outcome == Outcome::declined && !decision.was_refused)
      cache_on_fast_path(call, nullptr);
    return decision.code;
  }
  return make_and_record(call, *communicator, call_row(call.function->id, call.site, communicator->size));
}

int repeat(RecentCall& remembered, const void* sendbuf, void* recvbuf) noexcept {
  if (remembered.are_on_host(sendbuf, recvbuf)) [[likely]] {
    return run_again(remembered, sendbuf, recvbuf);
  }
  CollectiveCall call = remembered.call();
  call.sendbuf = sendbuf;
  call.recvbuf = recvbuf;
  return dispatch(call);
}

} // namespace thalweg::mpi

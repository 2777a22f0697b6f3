// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/decide/decide.hpp"

#include "mpi/choose/tuned_choices.hpp"
#include "mpi/learn/learned_choice.hpp"
#include "mpi/run/nonblocking_counterpart.hpp"
#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

namespace {

const Choice nobody_chose;

// The blocking call was measured, and no nonblocking call of ours can be in flight.
bool is_best_blocking(const Choice& choice) {
  return choice.blocks && runtime.wait.polls_collectives && runtime.settings.use.empty() &&
         !tuned_choices().any_nonblocking_strategy();
}

// Where the library's own wait can yield, or need not, the call that the program made tells errors as
// natively. A barrier is its own meeting, and has none to tell; the groups of an intercommunicator do not
// meet.
bool waits_here(const CollectiveCall& call, const CommunicatorState& communicator) {
  const bool must_yield = runtime.wait.yields && !runtime.wait.yields_in_progress;
  return must_yield || communicator.inter || call.function->operation == Operation::barrier;
}

} // namespace

Decision decide(const CollectiveCall& call, CommunicatorState& communicator) {
  if (const Choice* choice = choices().of(call.function->operation))
    return {choice};
  if (runtime.learns)
    if (const Decision learned = learned_choice(call, communicator); learned.choice != nullptr)
      return learned;
  if (tuned_choices().any())
    if (const Choice* choice =
            tuned_choices().of(call, communicator, runtime.settings.learn == LearnMode::all))
      return {choice};
  return {&nobody_chose};
}

LibraryCall library_call(const Choice& choice, const CollectiveCall& call, CommunicatorState& communicator) {
  const bool polls =
      runtime.wait.polls_collectives && communicator.agreed && call.function->mode == Mode::blocking;
  if (!polls || is_best_blocking(choice))
    return LibraryCall::as_made;
  return waits_here(call, communicator) && has_sound_counterpart(call, communicator)
             ? LibraryCall::by_counterpart
             : LibraryCall::after_meeting;
}

const char* library_reason(const Choice& choice) {
  return is_best_blocking(choice) ? "best as the blocking call that it is" : choice.reason;
}

} // namespace thalweg::mpi

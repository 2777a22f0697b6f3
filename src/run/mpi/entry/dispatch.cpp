// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/entry.hpp"

// A collective call of the program: what is to run it, the one place where those meet who have something to
// say of that; and who makes, counts and records it.

#include "base/assertion.hpp"
#include "mpi/call/sides.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/entry/call_observer.hpp"
#include "mpi/entry/collective_runner.hpp"
#include "mpi/entry/followed_requests.hpp"
#include "mpi/entry/startup.hpp"
#include "mpi/learn/learned.hpp"
#include "mpi/learn/tuning_context.hpp"
#include "mpi/run/call_binding.hpp"
#include "mpi/run/communicator_plans.hpp"
#include "mpi/run/fast_path.hpp"
#include "mpi/run/nonblocking_counterpart.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/trace/followed_span.hpp"
#include "mpi/wait/polling.hpp"

#include <optional>

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

// The user's choice (THALWEG_USE) comes first, then what this run learns, then the tuning file's pick; else
// the library. The same on all ranks of the communicator.
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

// How the library is called where it runs a call.
enum class LibraryCall {
  as_made,        // by the call that the program made
  after_meeting,  // the same, once no rank waits any more for an operation of ours in flight here
  by_counterpart, // by its nonblocking form, for which we wait
};

// Nonblocking and blocking collectives never match each other. So this is the same on all ranks of the
// communicator, and looks at what was chosen, not at what a rank has in flight.
LibraryCall library_call(const Choice& choice, const CollectiveCall& call, CommunicatorState& communicator) {
  const bool polls =
      runtime.wait.polls_collectives && communicator.agreed && call.function->mode == Mode::blocking;
  if (!polls || is_best_blocking(choice))
    return LibraryCall::as_made;
  return waits_here(call, communicator) && has_sound_counterpart(call, communicator)
             ? LibraryCall::by_counterpart
             : LibraryCall::after_meeting;
}

// Why the library runs a call that it was chosen for.
const char* library_reason(const Choice& choice) {
  return is_best_blocking(choice) ? "best as the blocking call that it is" : choice.reason;
}

int make_by_library(const CollectiveCall& call, CommunicatorState& communicator, const Choice& choice) {
  switch (library_call(choice, call, communicator)) {
  case LibraryCall::by_counterpart:
    return call_by_counterpart(call);
  case LibraryCall::after_meeting:
    barrier_before_creation(call.comm);
    break;
  case LibraryCall::as_made:
    break;
  }
  return call.function->native(call);
}

// Whom the choice names. A third kind of implementation does not compile before it is made here.
struct CallRunner {
  const CollectiveCall& call;
  CommunicatorState& communicator;
  const Choice& choice;

  CallResult operator()(const strategies::Scheduled& scheduled) const {
    return run_collective(call, communicator, scheduled, choice);
  }
  CallResult operator()(const strategies::Library&) const { return declined(library_reason(choice)); }
};

// Calls like it need not come here again.
bool goes_the_fast_path(const CallResult& ran, const CommunicatorState& communicator, const Note& note) {
  if (communicator.is_measured || process.observation.traces ||
      (note.row != nullptr && process.observation.traffic && note.recorded == nullptr))
    return false;
  const bool is_passed_on = ran.outcome == Outcome::declined && !ran.was_refused;
  return ran.remembered != nullptr || (is_passed_on && !runtime.wait.polls_collectives);
}

// A call that is measured counts for its round, however the program's code leaves it: the other ranks count
// it.
class MeasuredCall {
public:
  MeasuredCall(const CollectiveCall& call, CommunicatorState& communicator)
      : call_(call), communicator_(communicator) {}
  ~MeasuredCall() {
    if (communicator_.is_measured) [[unlikely]]
      learned_call_ended(call_, communicator_, true);
  }
  MeasuredCall(const MeasuredCall&) = delete;
  MeasuredCall& operator=(const MeasuredCall&) = delete;

private:
  const CollectiveCall& call_;
  CommunicatorState& communicator_;
};

// Persistent calls that nobody chooses for, and of which something is learned. MPICH's own waits are not
// proven with them.
bool may_learn_persistent(const CollectiveCall& call) {
  return own_family == Family::openmpi && call.function->mode == Mode::persistent &&
         runtime.learns_nonblocking && choices().of(call.function->operation) == nullptr;
}

CallResult run(const CollectiveCall& call, CommunicatorState& communicator, const Choice& choice) {
  CallResult ran = std::visit(CallRunner{call, communicator, choice}, choice.implementation);
  if (ran.outcome == Outcome::declined)
    ran.code = make_by_library(call, communicator, choice);
  return ran;
}

// `note` is what the report notes of it, but for how it ends.
CallResult make(const CollectiveCall& call, CommunicatorState& communicator, Note note) {
  if (communicator.is_measured) [[unlikely]]
    learned_call_ended(call, communicator, true); // the one before, which was left by a jump
  if (may_learn_persistent(call))
    if (const auto made = make_learned_persistent(call, communicator, persistent_tags)) {
      const Choice& first = *made->begins_with;
      const bool is_native = std::holds_alternative<strategies::Library>(first.implementation);
      return {Outcome::done, first.text, is_native ? "its starts run what is learned" : nullptr, made->code};
    }
  const Decision decision = decide(call, communicator);
  const MeasuredCall measured(call, communicator);
  const Choice& choice = *decision.choice;
  const CallResult ran = run(call, communicator, choice);
  note.implementation = ran.implementation;
  note.reason = ran.reason;
  if (note.row != nullptr && (process.observation.traffic || process.observation.traces) &&
      ran.code == MPI_SUCCESS) {
    const CallContent content = CollectiveRun{
        &call, ran.outcome == Outcome::done ? ran.implementation : "native", ran.plan, choice.id};
    note.recorded = notify({&communicator, *note.row, content});
  }
  if (!decision.is_for_one_call && goes_the_fast_path(ran, communicator, note))
    cache_on_fast_path(call, communicator, ran.remembered, decision.calls_left, note);
  if (communicator.is_measured) [[unlikely]] {
    const MeasuredStart started = learned_call_ended(call, communicator, ran.was_refused);
    if (started.figures != nullptr && ran.code == MPI_SUCCESS)
      follow_request(*call.request, started);
  }
  THALWEG_ASSERT(light, ran.implementation != nullptr && !communicator.is_measured);
  return ran;
}

// How many of a rank's blocks of an alltoallv go to others and are not empty.
std::uint64_t blocks_of(const CollectiveCall& call, CommunicatorState& communicator) {
  if (call.function->operation != Operation::alltoallv || communicator.inter)
    return 0;
  return static_cast<std::uint64_t>(traffic_of(call, communicator).messages);
}

// A rank alone waits for nobody.
bool is_sampled(const CommunicatorState& communicator, std::uint64_t index) {
  return communicator.size > 1 && communicator.samples.wants(index);
}

void add_sample(CommunicatorState& communicator, const observe::Sample& sample) {
  if (communicator.samples.samples().empty() && communicator.agreed)
    communicator.samples.keep(communicator.id, communicator.size);
  communicator.samples.add(sample);
}

int make_and_record(const CollectiveCall& call, CommunicatorState& communicator, observe::CallRow& row) {
  const bool blocking = call.function->mode == Mode::blocking;
  const std::uint64_t index = blocking ? communicator.blocking_calls++ : 1;
  const bool sampled = blocking && is_sampled(communicator, index);
  const std::uint64_t bytes = payload_bytes(call, communicator);
  const std::uint64_t blocks = blocks_of(call, communicator);
  if (process.observation.traces) [[unlikely]]
    follow_collective(row, communicator, bytes);
  row.counts.add_size(bytes);
  row.blocks += blocks;
  row.meets = blocking;
  observe::Stopwatch watch;
  watch.start(row, sampled);
  Note note{.bytes = bytes, .blocks = blocks};
  note.is_now_of(call.site, row);
  const CallResult ran = make(call, communicator, note);
  watch.stop(row);
  row.ended(ran.implementation, ran.reason);
  if (call.function->mode == Mode::nonblocking && watch.is_timed() && ran.code == MPI_SUCCESS) [[unlikely]]
    follow_request(*call.request, row, watch.start_ticks(), watch.stop_ticks());
  if (sampled)
    add_sample(communicator, {index, watch.start_ticks(), watch.stop_ticks(), &row});
  return ran.code;
}

// The library says what is wrong: by the call that the program made, and by its error handler.
int refused(const CollectiveCall& call, CommunicatorState& communicator) {
  communicator.blocking_calls += call.function->mode == Mode::blocking ? 1 : 0;
  if (process.observation.is_on) {
    observe::CallRow& row = call_row(call.function->id, call.site, communicator.size);
    ++row.calls;
    if (process.observation.traces) [[unlikely]]
      follow_collective(row, communicator, 0);
    row.ended("native", "arguments for the library to judge");
  }
  return call.function->native(call);
}

// Whether other ranks end the call without this one: those that give the root something end without it, and
// it ends without those that take something from it. Where none does, all are refused alike, or it is the
// program's hang.
bool others_complete(const CollectiveCall& call, bool is_root) {
  const OperationShape& shape = operation_shape(call.function->operation);
  return is_rooted(shape) && is_root == (shape.takes.ranks == SideShape::Ranks::root);
}

// Others, whose buffers are right, make the call: what ranks count of it, this one counts too, and where they
// meet, it comes.
void pass_over(const CollectiveCall& call, CommunicatorState& communicator) {
  if (communicator.is_measured) [[unlikely]]
    learned_call_ended(call, communicator, true);
  if (may_learn_persistent(call)) {
    pass_over_learned_persistent(call, communicator, persistent_tags);
    return;
  }
  const Decision decision = decide(call, communicator);
  const MeasuredCall measured(call, communicator);
  const Choice& choice = *decision.choice;
  const auto* const scheduled = std::get_if<strategies::Scheduled>(&choice.implementation);
  if (scheduled != nullptr && pass_over_collective(call, communicator, *scheduled, choice))
    return;
  if (library_call(choice, call, communicator) == LibraryCall::after_meeting)
    barrier_before_creation(call.comm);
}

} // namespace

int make_timed(const CollectiveCall& call, const FastPathEntry& known) {
  THALWEG_ASSERT(light, known.repeated == nullptr && call.function->mode == Mode::blocking);
  const Inside inside;
  ++looks_begun;
  CommunicatorState& communicator = *known.communicator;
  observe::CallRow& row = *known.note.row;
  const std::uint64_t index = communicator.blocking_calls;
  const bool sampled = is_sampled(communicator, index);
  known.count_for_ranks<Mode::blocking>();
  observe::Stopwatch watch;
  watch.start(row, sampled);
  const int code = call.function->native(call);
  watch.stop(row);
  known.count_in_report();
  if (sampled)
    add_sample(communicator, {index, watch.start_ticks(), watch.stop_ticks(), &row});
  return code;
}

int dispatch(const CollectiveCall& call) {
  const Inside inside;
  if (!runtime.ready) [[unlikely]] {
    start_late();
  }
  const FollowedSpan span;
  CommunicatorState* communicator = find_communicator(call.comm);
  if (communicator == nullptr) {
    return call.function->native(call); // the library says what is wrong
  }
  progress_in_call();
  if (!is_sound(call, *communicator)) [[unlikely]]
    return refused(call, *communicator);
  if (!has_sound_buffers(call, *communicator)) [[unlikely]] {
    if (others_complete(call, communicator->rank == call.root))
      pass_over(call, *communicator);
    return refused(call, *communicator);
  }
  if (!process.observation.is_on) {
    communicator->blocking_calls += call.function->mode == Mode::blocking ? 1 : 0;
    return make(call, *communicator, {}).code;
  }
  return make_and_record(call, *communicator, call_row(call.function->id, call.site, communicator->size));
}

} // namespace thalweg::mpi

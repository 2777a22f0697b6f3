// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/communicator_learning.hpp"

#include "base/assertion.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/call/sides.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/comm/clocks.hpp"
#include "mpi/learn/agreement.hpp"
#include "mpi/learn/new_context.hpp"
#include "mpi/learn/tuning_context.hpp"
#include "mpi/run/call_binding.hpp"
#include "mpi/run/communicator_plans.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"

namespace thalweg::mpi {

namespace {

// More kinds of calls than this on a communicator are left alone.
constexpr std::size_t max_sequences = 128;
// The same of persistent calls, each of which is a kind of its own.
constexpr std::uint32_t max_persistent_calls = 64;
constexpr int clock_trials = 5;
// Is the kind known from the call's signature, whoever is the root? Not of those that have arrays, nor where
// counts of the root's blocks are those of one.
bool is_identified_by_signature(const CollectiveCall& call, const CommunicatorState& communicator) {
  const OperationShape& shape = operation_shape(call.function->operation);
  if (!shape.are_sizes_agreed)
    return true;
  const bool has_arrays = shape.gives.has_arrays() || shape.takes.has_arrays();
  const bool has_root_of_blocks = is_rooted(shape) && (shape.gives.is_by_rank() || shape.takes.is_by_rank());
  return !has_arrays && !has_root_of_blocks && is_identified_by_handles(call, ranks_of(communicator));
}

} // namespace

CommunicatorLearning::CommunicatorLearning(CommunicatorState& communicator) : communicator_(communicator) {}

CommunicatorLearning::~CommunicatorLearning() {
  finish();
}

void CommunicatorLearning::finish() {
  for (auto& [key, sequence] : sequences_) {
    if (sequence.agreement.is_pending())
      sequence.agreement.complete();
    else if (sequence.started)
      sequence.started->finish();
  }
  stopped_ = true;
}

CommunicatorLearning::CallSequence* CommunicatorLearning::sequence_of(const CallKind& kind) {
  const auto known = sequences_.find(kind.key());
  if (known != sequences_.end())
    return &known->second;
  if (sequences_.size() == max_sequences || (!kind.blocks && started_kinds_ == StartedCalls::max_kinds))
    return nullptr;
  CallSequence& sequence = sequences_[kind.key()];
  if (!kind.blocks)
    sequence.started = std::make_unique<StartedCalls>(communicator_, started_kinds_++);
  sequence.current = &context_of(sequence, kind, {kind.size, 0}, {kind.bytes});
  return &sequence;
}

TuningContext& CommunicatorLearning::context_of(CallSequence& sequence, const CallKind& kind,
                                                pattern::TrafficClass traffic, const UnitSize& size) {
  std::unique_ptr<TuningContext>& context = sequence.contexts[traffic];
  if (!context)
    context = new_context(kind, size, communicator_, circumstances_of(communicator_, agreement_seconds_),
                          exploration_budget_);
  return *context;
}

const CommunicatorLearning::LearnedCall& CommunicatorLearning::find(const CollectiveCall& call) {
  LearnedCall& entry =
      recent_[place_of(call.recvcount, static_cast<int>(call.function->operation), recent_bits)];
  // Nothing that is learned depends on the root, nor on sizes that only some ranks know.
  CallSignature signature =
      operation_shape(call.function->operation).are_sizes_agreed ? signature_of(call) : CallSignature{};
  signature.root = 0;
  if (entry.function == call.function && entry.signature == signature)
    return entry;
  LearnedCall& result = is_identified_by_signature(call, communicator_) ? entry : unlike_any_;
  const std::optional<CallKind> kind = kind_of(call, communicator_);
  const bool wanted = kind && is_learning_wanted(*kind);
  result = {call.function, signature, wanted ? sequence_of(*kind) : nullptr, kind ? kind->bytes : 0};
  return result;
}

Decision CommunicatorLearning::choose(const CollectiveCall& call) {
  if (stopped_ || call.function->mode == Mode::persistent)
    return {};
  const bool blocks = call.function->mode == Mode::blocking;
  if (wants_channels_ && blocks) [[unlikely]] {
    wants_channels_ = false;
    if (!is_ready()) {
      stopped_ = true;
      return {};
    }
  }
  const LearnedCall& found = find(call);
  CallSequence* const sequence = found.sequence;
  if (sequence == nullptr)
    return {};
  if (!blocks)
    return choose_for_start(found);
  if (sequence->current->needs_round()) [[unlikely]] {
    close_round(*sequence);
    open_round(*sequence);
    if (stopped_)
      return {};
  }
  const Choice& choice = sequence->current->next(found.bytes);
  if (sequence->current->is_measured()) [[unlikely]] {
    measuring_ = sequence;
    communicator_.is_measured = true;
    sequence->current->arrived(local_seconds() + clock_offset_seconds_);
  }
  return {&choice, &sequence->current->calls_left()};
}

std::optional<CallKind> CommunicatorLearning::add_persistent(const CollectiveCall& call) {
  THALWEG_ASSERT(light, call.function->mode == Mode::persistent);
  if (stopped_ || persistent_calls_ == max_persistent_calls)
    return std::nullopt;
  std::optional<CallKind> kind = kind_of(call, communicator_);
  if (!kind || !is_learning_wanted(*kind))
    return std::nullopt;
  if (!communicator_.is_open()) {
    barrier_before_creation(communicator_.handle);
    open_channels_now(communicator_);
  }
  if (objection(call, communicator_) != nullptr)
    return std::nullopt;
  ++persistent_calls_;
  return kind;
}

Decision CommunicatorLearning::choose_for_start(const LearnedCall& found) {
  CallSequence& sequence = *found.sequence;
  if (sequence.current->needs_round() && !open_started_round(sequence)) [[unlikely]]
    return stopped_
               ? Decision{}
               : Decision{.choice = &sequence.current->between_rounds(found.bytes), .is_for_one_call = true};
  const Choice& choice = sequence.current->next(found.bytes);
  if (sequence.current->is_measured()) [[unlikely]] {
    measuring_ = &sequence;
    communicator_.is_measured = true;
    sequence.started->starts();
  }
  return {&choice, &sequence.current->calls_left()};
}

bool CommunicatorLearning::open_started_round(CallSequence& sequence) {
  using Between = StartedCalls::Between;
  StartedCalls& started = *sequence.started;
  Between between = started.at_start(*sequence.current);
  if (between == Between::agreed) {
    if (!started.learn(*sequence.current)) {
      stop_on_different_ways(*sequence.current);
      return false;
    }
    const TuningContext& context = *sequence.current;
    if (context.kind().is_private)
      sequence.current =
          &context_of(sequence, context.kind(), context.traffic(), {context.bytes(), context.degree()});
    between = started.at_start(*sequence.current);
  }
  if (started.wants_channels() && !wants_channels_) {
    wants_channels_ = true;
    invalidate_fast_path(); // the next call that blocks comes here
  }
  if (between == Between::round)
    invalidate_fast_path(); // what it knows was chosen for the round before
  return between == Between::round;
}

MeasuredStart CommunicatorLearning::measured(const CollectiveCall& call, bool refused) {
  THALWEG_ASSERT(light, measuring_ != nullptr && measuring_->current != nullptr);
  TuningContext& context = *measuring_->current;
  const pattern::Traffic traffic =
      context.kind().is_private ? traffic_of(call, communicator_) : pattern::Traffic{};
  if (measuring_->started)
    return measuring_->started->started(context, refused, traffic);
  context.departed(local_seconds() + clock_offset_seconds_, refused, traffic);
  if (context.wants_distance())
    context.see_distance(communicator_.channels()->transport()->look_at_distance_ns());
  if (context.needs_round())
    measuring_->agreement.begin(context.to_maximize(measuring_->agreement_seconds), context.to_sum(),
                                communicator_.group().communicator());
  return {};
}

void CommunicatorLearning::stop_on_different_ways(const TuningContext& context) {
  stopped_ = true;
  report_different_ways(context.kind(), communicator_.size);
}

void CommunicatorLearning::close_round(CallSequence& sequence) {
  if (!sequence.agreement.is_pending())
    return;
  sequence.agreement_seconds = sequence.agreement.complete();
  TuningContext& context = *sequence.current;
  if (!context.learn(sequence.agreement.maxima(), sequence.agreement.sums(), communicator_.size,
                     communicator_.group().node_count())) {
    stop_on_different_ways(context);
    return;
  }
  if (context.learner().agreement_seconds() > 0)
    agreement_seconds_ = context.learner().agreement_seconds();
  if (context.kind().is_private) {
    const CallKind kind = context.kind();
    sequence.current = &context_of(sequence, kind, context.traffic(), {context.bytes(), context.degree()});
  }
}

void CommunicatorLearning::open_round(CallSequence& sequence) {
  TuningContext& context = *sequence.current;
  tune::Round round = context.learner().next_round();
  if (round.kind != tune::Round::Kind::run && !is_ready()) {
    stopped_ = true;
    return;
  }
  while (round.kind == tune::Round::Kind::order) {
    order_candidates(context);
    round = context.learner().next_round();
  }
  context.open(round);
  invalidate_fast_path(); // what it knows was chosen for the round before
}

bool CommunicatorLearning::is_ready() {
  if (ready_)
    return true;
  // What follows blocks inside of the library.
  barrier_before_creation(communicator_.handle);
  if (!open_channels_now(communicator_))
    return false;
  measure_clock();
  return ready_ = true;
}

void CommunicatorLearning::measure_clock() {
  if (communicator_.group().node_count() == 1)
    return;
  const std::vector<int>& nodes = *communicator_.group().nodes();
  std::vector<double> offsets_ns =
      clock_offsets_ns(communicator_.group().communicator(), communicator_.rank, nodes,
                       job::agreement_tag(library_api(), communicator_.group().communicator()), clock_trials);
  MPI_Request request = MPI_REQUEST_NULL;
  native.Ibcast(offsets_ns.data(), static_cast<int>(offsets_ns.size()), MPI_DOUBLE, 0,
                communicator_.group().communicator(), &request);
  poll_request(&request, MPI_STATUS_IGNORE);
  clock_offset_seconds_ =
      1e-9 * offsets_ns[static_cast<std::size_t>(nodes[static_cast<std::size_t>(communicator_.rank)])];
}

void CommunicatorLearning::order_candidates(TuningContext& context) {
  // All of them take long to predict; the default ones have most of the gain.
  const tune::Breadth breadth =
      context.learner().batches() == 0 ? tune::Breadth::defaults : tune::Breadth::all;
  const Ordering ordering =
      agreed_ordering(context.kind(), {context.bytes(), context.degree()}, breadth, communicator_);
  context.add_candidates(ordering.candidates, ordering.seconds);
}

} // namespace thalweg::mpi

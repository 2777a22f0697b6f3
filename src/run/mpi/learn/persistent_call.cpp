// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/persistent_call.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "mpi/learn/new_context.hpp"
#include "mpi/state/runtime.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <variant>

namespace thalweg::mpi {

namespace {

const Choice of_library;

CallBinding bind_for_good(const CollectiveCall& call, CommunicatorState& communicator) {
  CallBinding bound = bind_call(call, communicator);
  bound.input.keep_types();
  bound.output.keep_types();
  return bound;
}

CallBinding borrowing(const CallBinding& kept) {
  CallBinding bound = kept;
  bound.input = kept.input.borrowing();
  bound.output = kept.output.borrowing();
  return bound;
}

engine::Tags tags_of_runs(engine::Tags all) {
  return {all.first, all.count / 2};
}

} // namespace

PersistentCall::PersistentCall(const CollectiveCall& call, const CallKind& kind,
                               CommunicatorState& communicator, engine::Tags tags)
    : communicator_(communicator.shared_from_this()), bound_(bind_for_good(call, communicator)), tags_(tags),
      plans_(communicator), context_(new_context(kind, {.bytes = kind.bytes}, communicator,
                                                 circumstances_of(communicator, 0), exploration_budget_)),
      started_(std::make_unique<StartedCalls>(communicator, plans_.shared_transport(),
                                              tags.first + tags.count / 2)) {
  THALWEG_ASSERT(light, tags.count / 2 >= StartedAgreement::tags && !kind.blocks);
  set_operator(plans_.reduction, bound_, call);
  if (kind.is_private)
    traffic_ = traffic_of(call, communicator);
}

PersistentCall::~PersistentCall() {
  bound_.input.release_types();
  bound_.output.release_types();
}

std::unique_ptr<StartedCalls> PersistentCall::take_agreement() {
  return started_->is_agreeing() ? std::move(started_) : nullptr;
}

bool PersistentCall::open_round() {
  using Between = StartedCalls::Between;
  Between between = started_->at_start(*context_);
  if (between == Between::agreed) {
    if (!started_->learn(*context_)) {
      stopped_ = true;
      report_different_ways(context_->kind(), communicator_->size);
      return false;
    }
    between = started_->at_start(*context_);
  }
  return between == Between::round;
}

const Choice& PersistentCall::next_choice() {
  const std::int64_t bytes = context_->kind().bytes;
  is_measured_ = false;
  if (stopped_)
    return of_library;
  if (context_->needs_round() && !open_round())
    return stopped_ ? of_library : context_->between_rounds(bytes);
  const Choice& choice = context_->next(bytes);
  is_measured_ = context_->is_measured();
  if (is_measured_)
    started_->starts();
  return choice;
}

// Whether a strategy can do the call is the same on all ranks.
const PersistentCall::Run& PersistentCall::run_of(const Choice& choice) {
  constexpr std::size_t sides = 2;
  const auto known = std::ranges::find(runs_, choice.id, [](const Run& run) { return run.choice->id; });
  if (known != runs_.end()) {
    std::rotate(runs_.begin(), known, known + 1);
    return runs_.front();
  }
  if (runs_.size() == sides)
    runs_.pop_back(); // which has been of no use for longer
  const auto& scheduled = std::get<strategies::Scheduled>(choice.implementation);
  CallBinding bound = borrowing(bound_);
  const CommunicatorPlans::Lookup found = plans_.plan_for(bound, scheduled, choice.id, *communicator_);
  std::unique_ptr<PendingCollective> pending;
  if (found.reason == nullptr) {
    pending = make_pending(plans_, found, std::move(bound), tags_of_runs(tags_));
    if (is_for_thread(*pending, scheduled.advancing()))
      plans_.transport().share_among_threads();
  }
  runs_.insert(runs_.begin(), {&choice, std::move(pending)});
  return runs_.front();
}

std::optional<strategies::Advancing> PersistentCall::choose_run(strategies::Advancing) noexcept {
  running_ = nullptr;
  try {
    const Choice& choice = next_choice();
    const auto* const scheduled = std::get_if<strategies::Scheduled>(&choice.implementation);
    if (scheduled != nullptr)
      running_ = run_of(choice).pending.get();
    const bool was_refused = scheduled != nullptr && running_ == nullptr;
    if (is_measured_)
      PerThread<MeasuredStart>::own() = started_->started(*context_, was_refused, traffic_);
    return running_ == nullptr ? std::nullopt : std::optional(scheduled->advancing());
  } catch (const std::exception& error) {
    log_line(fmt::format("MPI_Start: learning failed: {}", error.what()));
  }
  return std::nullopt;
}

MeasuredStart take_measure_of_start() {
  return PerThread<MeasuredStart>::here().figures == nullptr
             ? MeasuredStart{}
             : std::exchange(PerThread<MeasuredStart>::own(), MeasuredStart{});
}

} // namespace thalweg::mpi

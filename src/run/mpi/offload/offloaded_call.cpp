// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/offloaded_call.hpp"

#include <fmt/format.h>

#include "mpi/call/exactness.hpp"
#include "mpi/offload/nic_blocks.hpp"
#include "mpi/offload/nic_collective.hpp"
#include "mpi/offload/nic_elements.hpp"
#include "mpi/offload/nic_notes.hpp"
#include "mpi/offload/nic_reduction.hpp"
#include "mpi/offload/nic_relaying.hpp"

namespace thalweg::mpi {

namespace {

// The call on the engine, or why that cannot be, the same on all ranks.
struct Fallback {
  std::unique_ptr<PendingCollective> pending;
  const char* reason = nullptr;

  Fallback(const OffloadedCall& offloaded, engine::Tags tags) {
    CommunicatorPlans& plans = offloaded.plans;
    CallBinding bound = bind_call(offloaded.call, offloaded.communicator);
    set_operator(plans.reduction, bound, offloaded.call);
    const CommunicatorPlans::Found found =
        plans.plan_for(bound, offloaded.scheduled, offloaded.choice.id, offloaded.communicator);
    reason = found.reason;
    if (reason == nullptr)
      pending = make_pending(plans, found, std::move(bound), tags);
  }
};

// Nothing, and why, for the report, where devices cannot run the call: the same on all ranks.
std::unique_ptr<NicOperation> operation_of(const CollectiveCall& call, CommunicatorState& communicator,
                                           const char*& why_not) {
  switch (call.function->operation) {
  case Operation::bcast:
  case Operation::scatter:
    return NicRelaying::of(call, communicator, why_not);
  case Operation::gather:
  case Operation::allgather:
    return NicBlocks::of(call, communicator, why_not);
  case Operation::barrier:
  case Operation::reduce:
  case Operation::allreduce:
    break;
  default:
    return nullptr;
  }
  if (!is_predefined_operation(call.op))
    if (auto named = NicElements::of(call, communicator.rank, why_not); named || why_not != nullptr)
      return named;
  const std::optional<NicWords> words = NicWords::of(call, communicator.rank, why_not);
  return words ? std::make_unique<NicReduction>(call, *words) : nullptr;
}

} // namespace

Rank OffloadedCall::root() const {
  return schedule::is_rooted(scheduled.strategy().operation) ? call.root : 0;
}

std::optional<Ran> OffloadedCall::run() const {
  const char* why_not = nullptr;
  std::unique_ptr<NicOperation> operation = operation_of(call, communicator, why_not);
  if (!operation) {
    if (why_not != nullptr)
      note_nic(fmt::format("{} of {} runs on our engine", function_name(call), why_not));
    return std::nullopt;
  }
  switch (call.function->mode) {
  case Mode::blocking:
    return run_now(*operation);
  case Mode::nonblocking:
    return run_later(std::move(operation));
  case Mode::persistent:
    return make_persistent(std::move(operation));
  }
  return std::nullopt;
}

std::optional<Ran> OffloadedCall::run_now(NicOperation& operation) const {
  NicGroup& group =
      *devices.group_for(scheduled, choice.id, root(), operation.combiner(), communicator, plans);
  const wait::Policy& policy = communicator.channels()->policy();
  NicGroup::Place place = group.begin_blocking();
  if (place == NicGroup::Place::unknown) {
    wait_for_nics(group, policy);
    place = group.place_of_call();
  }
  may_change = group.may_change();
  if (place == NicGroup::Place::engine)
    return std::nullopt;
  const std::optional<int> code = run_on_nics(group, operation, policy);
  may_change = !code && !group.is_lost();
  return code ? std::optional(done(*code)) : std::nullopt;
}

// Ranks may not yet know how the group settles, and not all the same. Where the engine runs it, those that
// know send the same messages as those that do not.
std::optional<Ran> OffloadedCall::run_later(std::unique_ptr<NicOperation> operation) const {
  const std::shared_ptr<NicGroup>& group =
      devices.group_for(scheduled, choice.id, root(), operation->combiner(), communicator, plans);
  if (group->is_settled() && group->runner_of(group->next_epoch()) == NicRecovery::Runner::engine)
    return std::nullopt;
  const engine::Tags tags = plans.next_tags();
  auto pending = std::make_unique<NicCollective>(group, std::move(operation), function_name(call));
  const bool is_sure = group->is_settled() && group->is_on_nics() && !group->is_lost();
  if (!is_sure) {
    Fallback made(*this, tags);
    if (made.reason != nullptr)
      return declined(made.reason);
    pending->fall_back_on(std::move(made.pending));
  }
  pending->start();
  if (is_sure && group->is_lost()) // by another thread
    pending->fall_back_on(std::move(Fallback(*this, tags).pending));
  return done(hand_out(exactly(exact, std::move(pending)), call.request));
}

// Persistent operations may be started in another order on each rank: each has a group of its own.
Ran OffloadedCall::make_persistent(std::unique_ptr<NicOperation> operation) const {
  const engine::Tags tags = plans.persistent_tags();
  if (tags.count == 0)
    return declined("more persistent collectives than there are tags for");
  Fallback fallback(*this, tags);
  if (fallback.reason != nullptr)
    return declined(fallback.reason);
  auto group = std::make_shared<NicGroup>(scheduled, root(), operation->combiner(), communicator,
                                          plans.shared_transport(), plans.persistent_tags());
  auto pending = std::make_unique<NicCollective>(std::move(group), std::move(operation), function_name(call));
  pending->fall_back_on(std::move(fallback.pending));
  return done(hand_out_persistent(exactly(exact, std::move(pending)), call.comm, call.request));
}

} // namespace thalweg::mpi

#include "mpi/run/offloaded_call.hpp"

#include <fmt/format.h>

#include "mpi/call/exactness.hpp"
#include "mpi/run/device_blocks.hpp"
#include "mpi/run/device_collective.hpp"
#include "mpi/run/device_elements.hpp"
#include "mpi/run/device_reduction.hpp"
#include "mpi/run/device_relaying.hpp"

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
std::unique_ptr<DeviceOperation> operation_of(const CollectiveCall& call, CommunicatorState& communicator,
                                              const char*& why_not) {
  switch (call.function->operation) {
  case Operation::bcast:
  case Operation::scatter:
    return DeviceRelaying::of(call, communicator, why_not);
  case Operation::gather:
  case Operation::allgather:
    return DeviceBlocks::of(call, communicator, why_not);
  case Operation::barrier:
  case Operation::reduce:
  case Operation::allreduce:
    break;
  default:
    return nullptr;
  }
  if (!is_predefined_operation(call.op))
    if (auto named = DeviceElements::of(call, communicator.rank, why_not); named || why_not != nullptr)
      return named;
  const std::optional<DeviceWords> words = DeviceWords::of(call, communicator.rank, why_not);
  return words ? std::make_unique<DeviceReduction>(call, *words) : nullptr;
}

} // namespace

Rank OffloadedCall::root() const {
  return schedule::is_rooted(scheduled.strategy().operation) ? call.root : 0;
}

std::optional<Ran> OffloadedCall::run() const {
  const char* why_not = nullptr;
  std::unique_ptr<DeviceOperation> operation = operation_of(call, communicator, why_not);
  if (!operation) {
    if (why_not != nullptr)
      note_network_device(fmt::format("{} of {} runs on our engine", function_name(call), why_not));
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

std::optional<Ran> OffloadedCall::run_now(DeviceOperation& operation) const {
  DeviceGroup& group =
      *devices.group_for(scheduled, choice.id, root(), operation.combiner(), communicator, plans);
  const wait::Policy& policy = communicator.channels->policy();
  if (!wait_for_devices(group, policy))
    return std::nullopt;
  return done(run_on_devices(group, operation, policy));
}

// Ranks may not yet know how the group settles, and not all the same. Where the engine runs it, those that
// know send the same messages as those that do not.
std::optional<Ran> OffloadedCall::run_later(std::unique_ptr<DeviceOperation> operation) const {
  const std::shared_ptr<DeviceGroup>& group =
      devices.group_for(scheduled, choice.id, root(), operation->combiner(), communicator, plans);
  if (group->is_settled() && !group->is_on_devices())
    return std::nullopt;
  const engine::Tags tags = plans.next_tags();
  std::unique_ptr<PendingCollective> fallback;
  if (!group->is_settled()) {
    Fallback made(*this, tags);
    if (made.reason != nullptr)
      return declined(made.reason);
    fallback = std::move(made.pending);
  }
  auto pending = std::make_unique<DeviceCollective>(group, std::move(operation), function_name(call),
                                                    std::move(fallback));
  pending->start();
  return done(hand_out(exactly(exact, std::move(pending)), call.request));
}

// Persistent operations may be started in another order on each rank: each has a group of its own.
Ran OffloadedCall::make_persistent(std::unique_ptr<DeviceOperation> operation) const {
  const engine::Tags tags = plans.persistent_tags();
  if (tags.count == 0)
    return declined("more persistent collectives than there are tags for");
  Fallback fallback(*this, tags);
  if (fallback.reason != nullptr)
    return declined(fallback.reason);
  auto group = std::make_shared<DeviceGroup>(scheduled, root(), operation->combiner(), communicator,
                                             plans.shared_transport(), tags);
  auto pending = std::make_unique<DeviceCollective>(std::move(group), std::move(operation),
                                                    function_name(call), std::move(fallback.pending));
  return done(hand_out_persistent(exactly(exact, std::move(pending)), call.comm, call.request));
}

} // namespace thalweg::mpi

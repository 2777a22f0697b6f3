// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/offloaded_call.hpp"

#include "base/assertion.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/call/operators.hpp"
#include "mpi/offload/nic_operations.hpp"
#include "mpi/offload/nic_reduction.hpp"
#include "mpi/offload/nic_watch.hpp"
#include "nic/exact_sum.hpp"
#include "strategies/host_tree.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::mpi {

namespace {

bool asks_for_exact(const strategies::Scheduled& scheduled) {
  const std::pair wanted{std::string(strategies::host_tree_sum().name), std::int64_t{1}};
  return std::ranges::find(scheduled.parameters(), wanted) != scheduled.parameters().end();
}

bool is_double(MPI_Datatype type) {
  return type == MPI_DOUBLE;
}

bool is_integer(MPI_Datatype type) {
  const job::PredefinedOperators& known = library_operators();
  const auto found = std::ranges::find(known.types, type, &std::pair<MPI_Datatype, engine::Number>::first);
  return found != known.types.end() && found->second != engine::Number::float32 &&
         found->second != engine::Number::float64;
}

std::size_t words_each(MPI_Datatype type) {
  return is_double(type) ? nic::ExactSum<double>::words : nic::ExactSum<float>::words;
}

template <typename Value>
void split_all(const void* numbers, std::span<std::int64_t> into) {
  const auto* from = static_cast<const std::byte*>(numbers);
  for (; !into.empty(); into = into.subspan(nic::ExactSum<Value>::words), from += sizeof(Value)) {
    Value value = 0;
    std::memcpy(&value, from, sizeof value);
    nic::ExactSum<Value>::split(value, into.first(nic::ExactSum<Value>::words));
  }
}

template <typename Value>
void round_all(std::span<const std::int64_t> summed, int ranks, void* numbers) {
  auto* to = static_cast<std::byte*>(numbers);
  for (; !summed.empty(); summed = summed.subspan(nic::ExactSum<Value>::words), to += sizeof(Value)) {
    const Value value = nic::ExactSum<Value>::round(summed.first(nic::ExactSum<Value>::words), ranks);
    std::memcpy(to, &value, sizeof value);
  }
}

} // namespace

std::unique_ptr<ExactCall> ExactCall::of(const CollectiveCall& call, CommunicatorState& communicator,
                                         const strategies::Scheduled& scheduled) {
  if (call.op != MPI_SUM || !asks_for_exact(scheduled) || is_integer(call.recvtype))
    return nullptr;
  const char* why_not = nullptr;
  if (call.recvtype != MPI_DOUBLE && call.recvtype != MPI_FLOAT)
    why_not = "of a datatype other than MPI_DOUBLE and MPI_FLOAT";
  else if (communicator.size > nic::ExactSum<double>::numbers_max ||
           call.recvcount > static_cast<MPI_Count>(INT_MAX / words_each(call.recvtype)))
    why_not = "of too many ranks or numbers";
  if (why_not == nullptr)
    return std::make_unique<ExactCall>(call, communicator);
  note_nic(fmt::format("{} {}: its sums are rounded in the schedule's order", function_name(call), why_not));
  return nullptr;
}

ExactCall::ExactCall(const CollectiveCall& call, CommunicatorState& communicator)
    : call_(call), inner_(call),
      is_wanted_(call.function->operation != Operation::reduce || communicator.rank == call.root),
      ranks_(communicator.size) {
  const std::size_t words = static_cast<std::size_t>(call.recvcount) * words_each(call.recvtype);
  brought_.resize(words);
  summed_.resize(is_wanted_ ? words : 0);
  inner_.sendbuf = brought_.data();
  inner_.recvbuf = summed_.data();
  inner_.sendcount = inner_.recvcount = static_cast<MPI_Count>(words);
  inner_.sendtype = inner_.recvtype = MPI_INT64_T;
}

void ExactCall::prepare() {
  THALWEG_ASSERT(light, static_cast<MPI_Count>(brought_.size()) == inner_.recvcount);
  const void* const from = is_in_place(call_) ? call_.recvbuf : call_.sendbuf;
  if (is_double(call_.recvtype))
    split_all<double>(from, brought_);
  else
    split_all<float>(from, brought_);
}

void ExactCall::deliver() {
  THALWEG_ASSERT(light, summed_.size() == (is_wanted_ ? brought_.size() : 0U));
  if (is_double(call_.recvtype))
    round_all<double>(summed_, ranks_, call_.recvbuf);
  else
    round_all<float>(summed_, ranks_, call_.recvbuf);
}

namespace {

class ExactCollective final : public BackgroundCall {
public:
  ExactCollective(std::shared_ptr<ExactCall> exact, std::unique_ptr<BackgroundCall> inner)
      : exact_(std::move(exact)), inner_(std::move(inner)) {}

  bool progress() noexcept override { return inner_->progress(); }
  void finish() noexcept override {
    inner_->finish();
    if (inner_->code() == MPI_SUCCESS)
      exact_->deliver();
  }
  std::size_t stage() const noexcept override { return inner_->stage(); }
  void restart() noexcept override {
    exact_->prepare();
    inner_->restart();
  }
  int code() const noexcept override { return inner_->code(); }

private:
  std::shared_ptr<ExactCall> exact_; // outlives the inner call, which has its buffers
  std::unique_ptr<BackgroundCall> inner_;
};

} // namespace

std::unique_ptr<BackgroundCall> exactly(std::shared_ptr<ExactCall> exact,
                                        std::unique_ptr<BackgroundCall> inner) {
  if (!exact)
    return inner;
  return std::make_unique<ExactCollective>(std::move(exact), std::move(inner));
}

namespace {

// The call on the engine, or why that cannot be, the same on all ranks.
struct Fallback {
  std::unique_ptr<PendingCollective> pending;
  const char* reason = nullptr;

  Fallback(const OffloadedCall& offloaded, engine::Tags tags) {
    CommunicatorPlans& plans = offloaded.plans;
    CallBinding bound = bind_call(offloaded.call, offloaded.communicator);
    set_operator(plans.reduction, bound, offloaded.call);
    const CommunicatorPlans::Lookup found =
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

std::optional<CallResult> OffloadedCall::run() const {
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

std::optional<CallResult> OffloadedCall::run_now(NicOperation& operation) const {
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
std::optional<CallResult> OffloadedCall::run_later(std::unique_ptr<NicOperation> operation) const {
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
  return done(hand_out(exactly(exact, std::move(pending)), strategies::Advancing::in_calls, call.request));
}

// Persistent operations may be started in another order on each rank: each has a group of its own.
CallResult OffloadedCall::make_persistent(std::unique_ptr<NicOperation> operation) const {
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
  return done(hand_out_persistent(exactly(exact, std::move(pending)), strategies::Advancing::in_calls,
                                  call.comm, call.request));
}

} // namespace thalweg::mpi

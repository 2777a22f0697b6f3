// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_group.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "mpi/offload/nic_watch.hpp"
#include "mpi/state/runtime.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace thalweg::mpi {

NicGroup::NicGroup(const strategies::Scheduled& scheduled, Rank root, GroupOperator combiner,
                   CommunicatorState& communicator, std::shared_ptr<transport::Transport> transport,
                   engine::Tags tags)
    : rank_(communicator.rank), endpoint_(std::move(transport), {}), tags_(tags),
      turn_(communicator.handle == runtime.world.communicator) {
  if (communicator.group().node_count() <= 1) {
    settled("collectives for network devices are run by our engine: all ranks are on one host");
    return;
  }
  if (tags_.count == 0) {
    settled("collectives for network devices are run by our engine: more groups than there are tags for");
    return;
  }
  NicShape shape = NicShape::of(scheduled, root, std::move(combiner), communicator);
  if (runtime.world.rank == 0)
    last_ = LastRanks(shape.world_ranks);
  joining_ = std::make_unique<NicJoining>(std::move(shape), endpoint_, tags_);
}

void NicGroup::watch() {
  if (!std::exchange(is_watched_, true))
    watch_nics(shared_from_this());
}

NicGroup::Place NicGroup::begin_blocking() {
  if (turn_.begin_call() && !is_settled())
    watch();
  return place_of_call();
}

NicGroup::Place NicGroup::place_of_call() const {
  if (is_settled())
    return is_on_nics() && turn_.has_come() ? Place::cards : Place::engine;
  return turn_.goes_alone() ? Place::engine : Place::unknown;
}

int NicGroup::asked_agent() {
  const std::scoped_lock lock(mutex_);
  return joining_ ? joining_->asked_agent() : -1;
}

wait::Look NicGroup::settle() {
  if (is_settled())
    return wait::Look::reached;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || is_settled())
    return is_settled() ? wait::Look::reached : wait::Look::nothing;
  switch (joining_->progress()) {
  case NicJoining::State::open:
    return wait::Look::nothing;
  case NicJoining::State::moved:
    return wait::Look::moved;
  case NicJoining::State::refused:
    settled(
        fmt::format("collectives for network devices are run by our engine: {}", joining_->why_refused()));
    break;
  case NicJoining::State::joined:
    has_joined();
    break;
  }
  return is_settled() ? wait::Look::reached : wait::Look::moved;
}

bool NicGroup::go_on(bool is_held, std::uint64_t& pause_ns) noexcept {
  constexpr std::uint64_t pause_of_new_ns = 100'000; // agents take much longer
  try {
    if (settle() != wait::Look::reached) {
      pause_ns = std::min(pause_ns, pause_of_new_ns);
      return false;
    }
    if (!is_on_nics())
      return true;
    if (!is_held)
      recovery_->close();
    const bool is_over = recovery_->progress();
    if (is_lost() && !is_over)
      pause_ns = 0;
    return is_over;
  } catch (const std::exception& error) {
    log_line(std::string("network devices are lost, and ranks do not reach each other: ") + error.what());
    return true;
  }
}

void NicGroup::close() {
  if (is_settled() && is_on_nics())
    recovery_->close();
}

void NicGroup::has_joined() {
  if (!turn_.is_awaited() && !std::exchange(is_changing_, true))
    joining_->share_call_count(turn_.promise());
  else
    begin_calls();
}

// All ranks know that their cards run its calls.
void NicGroup::begin_calls() {
  THALWEG_ASSERT(light, !is_settled() && !is_on_nics() && joining_ != nullptr);
  if (is_changing_)
    turn_.change_behind(joining_->largest_call_count());
  const NicShape& shape = joining_->shape();
  if (shape.relays)
    relay_ = std::make_unique<nic::RelayMember>(joining_->take_relay_card(), rank_ == shape.root,
                                                joining_->farthest_levels());
  else
    member_ = std::make_unique<nic::Member>(joining_->take_card());
  recovery_ =
      std::make_unique<NicRecovery>(AgreedGroup{rank_, shape.root, shape.ranks(), endpoint_, tags_,
                                                shape.schedule_of, shape.nodes, member_.get(), relay_.get()},
                                    begun_);
  runtime.has_nic_groups = true;
  settled("collectives run on the hosts' network devices" + joining_->joined_by());
  watch();
}

// Where our engine runs the calls, the agent gets back what it gave.
void NicGroup::settled(const std::string& note) {
  THALWEG_ASSERT(light, !is_settled() && (!is_on_nics() || recovery_ != nullptr));
  note_nic(note);
  joining_.reset();
  is_settled_.store(true, std::memory_order_release);
}

const std::shared_ptr<NicGroup>& NicGroups::group_for(const strategies::Scheduled& scheduled, std::int64_t id,
                                                      Rank root, const GroupOperator& combiner,
                                                      CommunicatorState& communicator,
                                                      CommunicatorPlans& plans) {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.id == id && entry.root == root && entry.combiner == combiner;
  });
  if (found != entries_.end())
    return found->group;
  auto group = std::make_shared<NicGroup>(scheduled, root, combiner, communicator, plans.shared_transport(),
                                          plans.persistent_tags());
  return entries_.emplace_back(Entry{id, root, combiner, std::move(group)}).group;
}

namespace {

// Agents need the cores that ranks would poll and yield on.
struct SleepingOnAgent : wait::System {
  void sleep_us(std::uint32_t duration) {
    if (const int asked = group->asked_agent(); asked >= 0)
      nic::sleep_unless_answered(asked);
    else
      wait::System::sleep_us(duration);
  }
  NicGroup* group;
};

} // namespace

void wait_for_nics(NicGroup& group, const wait::Policy& policy) {
  constexpr std::uint32_t longest_yield_us = 200;
  wait::Policy sleeping = policy;
  sleeping.polls = 1;
  sleeping.settings.yield_us = std::min(policy.settings.yield_us, longest_yield_us);
  const auto look = [&] { return group.settle(); };
  wait::until(sleeping, look, SleepingOnAgent{{}, &group});
}

namespace {

// Messages of ours wake nobody and need no library here, and a look at the library takes as long as a hop.
// Only where it moves something, it is looked at again at once.
struct RareVisits {
  const wait::Policy& policy;
  std::uint64_t due_ns = 0;

  static wait::Visit visit(void* context) {
    constexpr std::uint64_t pause_ns = 100'000;
    auto& self = *static_cast<RareVisits*>(context);
    const std::uint64_t now_ns = wait::System::now_ns();
    if (self.due_ns == 0)
      self.due_ns = now_ns + pause_ns;
    if (now_ns < self.due_ns)
      return wait::Visit::idle;
    const wait::Visit found = self.policy.progress_others(self.policy.context);
    if (found == wait::Visit::moved)
      return found;
    self.due_ns = wait::System::now_ns() + pause_ns;
    return wait::Visit::idle;
  }
};

} // namespace

std::optional<int> run_on_nics(NicGroup& group, NicOperation& operation, const wait::Policy& policy) {
  using Runner = NicRecovery::Runner;
  THALWEG_ASSERT(light, group.is_settled());
  const std::uint32_t first = group.next_epoch();
  if (group.runner_of(first) == Runner::engine)
    return std::nullopt;
  RareVisits visits{policy};
  wait::Policy rare = policy;
  rare.progress_others = RareVisits::visit;
  rare.context = &visits;
  rare.pauses_per_visit = 8;
  if (const int code = operation.begin(group); code != MPI_SUCCESS)
    return code;
  if (operation.run(group, rare))
    return operation.code();
  const auto look = [&] {
    const Runner runner = group.runner_of(first);
    const bool is_done = runner == Runner::engine || (runner == Runner::group && operation.advance(group));
    return is_done ? wait::Look::reached : wait::Look::nothing;
  };
  wait::until(policy, look);
  return group.runner_of(first) == Runner::engine ? std::nullopt : std::optional(operation.code());
}

const char* name_on_engine(const char* text) {
  return kept_text(fmt::format("{} on the engine", text));
}

} // namespace thalweg::mpi

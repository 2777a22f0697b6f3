// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_groups.hpp"
#include "base/of_process.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace thalweg::mpi {

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

// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/cores.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::simulate {

CoreTable::CoreTable(const SharedCores& shared, std::uint32_t ranks, std::uint32_t processors)
    : cores_each_(shared.cores), switching_(shared.switching) {
  if (shared.machines.empty())
    return;
  if (shared.machines.size() < ranks || shared.cores == 0 || shared.switching < 0)
    throw Error(fmt::format("the machines of {} ranks for {}, with {} cores that are handed over in {} ns",
                            shared.machines.size(), ranks, shared.cores, shared.switching),
                "say for each rank whose cores it uses, and give machines a core at least");
  const std::span<const std::uint32_t> machines(shared.machines.data(), ranks);
  std::vector<std::uint64_t> users(std::size_t{std::ranges::max(machines)} + 1);
  for (const std::uint32_t machine : machines)
    users[machine] += processors;
  if (std::ranges::max(users) <= shared.cores)
    return;
  for (const std::uint32_t machine : machines)
    places_.push_back(users[machine] > shared.cores ? machine : none);
  waiting_.resize(users.size());
  cores_.resize(users.size() * cores_each_);
}

void CoreTable::hand_over(Core& core, std::size_t processor, Ticks now) {
  THALWEG_ASSERT(normal, core.busy_until <= now);
  const bool is_anothers = core.processor != processor && core.processor != nobody;
  core.busy_until = now + (is_anothers ? switching_ : 0);
  core.processor = processor;
  core.is_idle = false;
}

CoreTable::Answer CoreTable::begin(std::uint32_t rank, std::size_t processor, Ticks now, const Task& task) {
  THALWEG_ASSERT(normal, are_shared(rank));
  const std::uint32_t machine = places_[rank];
  Core* idle = nullptr;
  for (Core& core : cores_of(machine)) {
    if (core.processor == processor && !core.is_idle) {
      if (core.busy_until > now) { // it is being handed over
        waiting_[machine].push_back({task, processor, now});
        return {};
      }
      const bool is_granted = core.granted && core.granted->task == task;
      const Ticks since = is_granted ? core.granted->since : now;
      if (is_granted)
        core.granted.reset();
      return {.since = since};
    }
    const bool is_better = idle == nullptr || core.processor == processor ||
                           (core.processor == nobody && idle->processor != processor);
    if (core.is_idle && is_better)
      idle = &core;
  }
  if (idle != nullptr)
    hand_over(*idle, processor, now);
  if (idle != nullptr && idle->busy_until == now)
    return {.since = now};
  waiting_[machine].push_back({task, processor, now});
  if (idle == nullptr)
    return {};
  return {.look = idle->busy_until, .core = static_cast<std::uint32_t>(idle - cores_.data())};
}

std::uint32_t CoreTable::occupy(std::uint32_t rank, std::size_t processor, Ticks until) {
  const std::span<Core> cores = cores_of(places_[rank]);
  const auto own = std::ranges::find_if(
      cores, [&](const Core& core) { return core.processor == processor && !core.is_idle; });
  THALWEG_ASSERT(normal, own != cores.end() && until >= own->busy_until);
  own->busy_until = until;
  return static_cast<std::uint32_t>(&*own - cores_.data());
}

/// What the core's processor has waiting; else the first of what waits of processors without a core.
std::deque<CoreTable::Waiter>::iterator CoreTable::next_of(std::uint32_t machine, const Core& core) {
  std::deque<Waiter>& waiting = waiting_[machine];
  if (const auto own = std::ranges::find(waiting, core.processor, &Waiter::processor); own != waiting.end())
    return own;
  return std::ranges::find_if(waiting, [&](const Waiter& one) {
    return std::ranges::none_of(cores_of(machine), [&](const Core& other) {
      return other.processor == one.processor && !other.is_idle;
    });
  });
}

CoreTable::Look CoreTable::look(std::uint32_t number, Ticks now) {
  Core& core = cores_[number];
  if (core.is_idle || core.busy_until > now)
    return {}; // who took it meanwhile will have it looked at
  core.granted.reset();
  const std::uint32_t machine = number / cores_each_;
  const auto next = next_of(machine, core);
  if (next == waiting_[machine].end()) {
    core.is_idle = true;
    return {};
  }
  if (next->processor != core.processor) {
    hand_over(core, next->processor, now);
    if (core.busy_until > now)
      return {.again = core.busy_until};
  }
  core.granted = *next;
  waiting_[machine].erase(next);
  return {.task = core.granted->task, .again = now};
}

} // namespace thalweg::simulate

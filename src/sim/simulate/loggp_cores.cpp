// SPDX-License-Identifier: BSD-3-Clause

// What waits for a core, and what delays a processor at its work.

#include "simulate/loggp_simulation.hpp"

#include <algorithm>

namespace thalweg::simulate {

Ticks LoggpSimulation::work_of(std::uint32_t rank, const Operation& one) const {
  return one.kind == Kind::compute ? program_.durations[one.cost] : costs_.of(rank, one).send();
}

/// Since when it could have begun what it has a core for now; nothing: it waits for one.
std::optional<Ticks> LoggpSimulation::begin_on_core(std::uint32_t rank, std::size_t cpu, const Event& event) {
  const CoreTable::Task task{event.order, event.operation, event.rank,
                             static_cast<std::uint32_t>(event.kind)};
  const CoreTable::Answer answer = cores_.begin(rank, cpu, event.time, task);
  if (answer.look)
    events_.push({*answer.look, last_of_all, answer.core, 0, EventKind::core});
  if (!answer.since)
    return std::nullopt;
  // At first it may have waited for its processor.
  return std::max(*answer.since, stations_[cpu * program_.nics].cpu);
}

Delay LoggpSimulation::delay_of(std::uint32_t rank, std::size_t cpu, const Start& start, Ticks work) {
  const Ticks begin = start.time + start.core;
  const Ticks away = options_.noise.detours(cpu, begin, work);
  if (work > 0 && cores_.are_shared(rank)) {
    const Ticks end = begin + work + away;
    events_.push({end, last_of_all, cores_.occupy(rank, cpu, end), 0, EventKind::core});
  }
  return {.core = start.core, .noise = away};
}

void LoggpSimulation::look_at_core(const Event& event) {
  const CoreTable::Look look = cores_.look(event.operation, event.time);
  if (look.task)
    events_.push({event.time, look.task->order, look.task->operation, look.task->rank,
                  static_cast<EventKind>(look.task->kind)});
  if (look.again)
    events_.push({*look.again, last_of_all, event.operation, 0, EventKind::core});
}

} // namespace thalweg::simulate

// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/delays.hpp"

#include <algorithm>

namespace thalweg::simulate {

std::optional<Start> Delays::begin(std::uint32_t rank, std::size_t processor, Ticks free,
                                   const LoggpEvent& event) {
  const CoreTable::Task task{event.order, event.operation, event.rank,
                             static_cast<std::uint32_t>(event.kind)};
  const CoreTable::Answer answer = cores_.begin(rank, processor, event.time, task);
  if (answer.look)
    events_.add_look(*answer.look, answer.core);
  if (!answer.since)
    return std::nullopt;
  // At first it may have waited for its processor.
  const Ticks since = std::max(*answer.since, free);
  return Start{since, event.time - since};
}

void Delays::look(const LoggpEvent& event) {
  const CoreTable::Look look = cores_.look(event.operation, event.time);
  if (look.task)
    events_.add({event.time, look.task->order, look.task->operation, look.task->rank,
                 static_cast<EventKind>(look.task->kind)});
  if (look.again)
    events_.add_look(*look.again, event.operation);
}

} // namespace thalweg::simulate

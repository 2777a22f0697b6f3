// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What delays processors at their work: cores that they share, and noise, which takes them away meanwhile.

#include "simulate/cores.hpp"
#include "simulate/loggp_events.hpp"
#include "simulate/noise.hpp"
#include "simulate/trace.hpp"

#include <algorithm>
#include <optional>

namespace thalweg::simulate {

/// Something could begin at `time`, and does when a core has been waited for.
struct Start {
  Ticks time;
  Ticks core;
};

/// Processors are named by their numbers.
class Delays {
public:
  /// Of ranks with so many processors each. Keeps references to the noise and the events. Throws Error as
  /// CoreTable does.
  Delays(const SharedCores& shared, const Noise& noise, std::uint32_t ranks, std::uint32_t processors,
         LoggpEvents& events)
      : cores_(shared, ranks, processors), noise_(noise), events_(events) {}

  bool has_any() const { return noise_.has_any() || cores_.has_any(); }
  bool are_cores_shared(std::uint32_t rank) const { return cores_.are_shared(rank); }

  /// Of a rank whose cores are shared: how the processor, which is free since `free`, begins the work of an
  /// event. Nothing: it waits for a core, and the event comes again when it has one.
  std::optional<Start> begin(std::uint32_t rank, std::size_t processor, Ticks free, const LoggpEvent& event) {
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
  /// How much longer so much work takes that begins there, which occupies a core that is shared.
  Delay of(std::uint32_t rank, std::size_t processor, const Start& start, Ticks work) {
    const Ticks begin = start.time + start.core;
    const Ticks away = noise_.detours(processor, begin, work);
    if (work > 0 && cores_.are_shared(rank)) {
      const Ticks end = begin + work + away;
      events_.add_look(end, cores_.occupy(rank, processor, end));
    }
    return {.core = start.core, .noise = away};
  }
  /// A core may be free.
  void look(const LoggpEvent& event) {
    const CoreTable::Look look = cores_.look(event.operation, event.time);
    if (look.task)
      events_.add({event.time, look.task->order, look.task->operation, look.task->rank,
                   static_cast<EventKind>(look.task->kind)});
    if (look.again)
      events_.add_look(*look.again, event.operation);
  }

private:
  CoreTable cores_;
  const Noise& noise_;
  LoggpEvents& events_;
};

} // namespace thalweg::simulate

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What happens in a simulation on levels `loggp`, `flow` and `packet`, and in which order. Events of the same
// moment come in the order in which what they are about became known.

#include "base/error.hpp"
#include "model/event_queue.hpp"
#include "simulate/message_costs.hpp"

#include <optional>

namespace thalweg::simulate {

inline constexpr std::uint32_t none = 0xffffffffU;

/// What changes of an operation while its program runs.
struct OperationState {
  /// How many requirements are left; once there are none, its place in the order.
  std::uint32_t order = 0;
  std::uint32_t link = none; ///< the next of the waiting operations among which it is
};

enum class EventKind : std::uint32_t {
  due,     ///< an operation's own time has come
  first,   ///< the first of a rank's waiting operations may begin
  arrival, ///< a message has come
  taken,   ///< the first of a rank's waiting messages may be taken in
  leaving, ///< a message's first byte goes onto the network
  carried, ///< a flow may be over: its number stands for the rank
  sharing, ///< all flows of this moment have begun and ended
  core,    ///< a core may be free: its number stands for the operation
};

struct LoggpEvent {
  Ticks time;
  std::uint32_t order; ///< in which it became known
  std::uint32_t operation;
  std::uint32_t rank; ///< whose operation it is; of a message the sender
  EventKind kind;
};

class LoggpEvents {
public:
  /// As an event's order: it comes after all else of its moment.
  static constexpr std::uint32_t last_of_all = 0xffffffffU;

  /// At the time of the last one taken or later.
  void add(const LoggpEvent& event) { queue_.push(event); }
  /// A core is to be looked at, after all else of that moment.
  void add_look(Ticks time, std::uint32_t core) { add({time, last_of_all, core, 0, EventKind::core}); }
  LoggpEvent take() { return queue_.pop(); }

  bool is_empty() const { return queue_.empty(); }
  std::optional<Ticks> next_time() {
    return queue_.empty() ? std::nullopt : std::optional(queue_.next_time());
  }
  /// The place in the order of what becomes known now. Throws Error behind the last number.
  std::uint32_t next_order() {
    if (order_ == last_of_all)
      throw Error("the simulation has more than 2^32 events", "simulate fewer ranks or fewer messages");
    return order_++;
  }

private:
  model::EventQueue<LoggpEvent> queue_;
  std::uint32_t order_ = 0;
};

} // namespace thalweg::simulate

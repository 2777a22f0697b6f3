// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What happens next in a network, and what time it is there. Events of the same time happen in the order in
// which they were added.

#include "base/assertion.hpp"
#include "model/event_queue.hpp"
#include "simulate/packet/packet.hpp"

namespace thalweg::simulate::packet {

enum class What : std::uint32_t {
  arrive,  ///< a packet is at its crosspoint
  deliver, ///< a packet's last byte is at its node
  wake,    ///< a channel may send again
  inject,  ///< a node may have a packet
  whole,   ///< a packet is whole at the crosspoint of a combine unit or of a faster channel
  promote, ///< the next packet of an input's queue may go
  stop,    ///< the caller wants to look
};

struct Event {
  Ticks time = 0;
  What what = What::wake;
  std::uint32_t index = 0; ///< of a packet, channel, node or queue of an input
};

class Agenda {
public:
  /// At the present time or later.
  void add(Ticks time, What what, std::uint32_t index) {
    THALWEG_ASSERT(normal, time >= now_);
    events_.push({time, what, index});
  }
  /// Takes the next event out, whose time is the present one from now on. There has to be one.
  Event take() {
    const Event event = events_.pop();
    THALWEG_ASSERT(normal, event.time >= now_);
    now_ = event.time;
    if (event.what != What::stop)
      ++taken_;
    return event;
  }

  bool is_empty() const { return events_.empty(); }
  /// When something happens next, or never.
  Ticks next_time() { return events_.empty() ? never : events_.next_time(); }
  Ticks now() const { return now_; }
  /// How many events there were, without stops.
  std::uint64_t taken() const { return taken_; }

private:
  model::EventQueue<Event> events_;
  Ticks now_ = 0;
  std::uint64_t taken_ = 0;
};

} // namespace thalweg::simulate::packet

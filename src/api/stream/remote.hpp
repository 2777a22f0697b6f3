// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How slots get to ranks of other nodes, and from them.

#include "base/rank.hpp"
#include "stream/slot.hpp"

namespace thalweg::streams {

class Remote {
public:
  virtual ~Remote() = default;

  /// What was sent before to that rank along that dimension arrives before. The slot is not to be touched
  /// until it says that it is free.
  virtual void send(Slot& slot, Rank to) = 0;
  /// Lets slots make progress, frees those that have been sent, and finds those that have arrived.
  virtual void progress() = 0;
  /// The next one of these along a dimension in a phase, or null. Of several phases one at a time is looked
  /// for: what arrives for the next one stays where it is. To be handed back before the next one is asked
  /// for.
  virtual Slot* receive(std::uint32_t dimension, std::uint32_t phase) = 0;
  virtual void release(Slot& slot) = 0;
  /// Of what it receives into.
  virtual std::size_t memory_bytes() const { return 0; }
  /// The library still has slots that were sent.
  virtual bool has_sends() const = 0;
};

} // namespace thalweg::streams

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where slots of the node's memory do not suffice: memory of this process for what handlers send when no slot
// is free, for what belongs to the next phase, and the queues of what waits for slots.

#include "stream/slot.hpp"
#include "thalweg/stream_links.h"

#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <span>

namespace thalweg::streams {

/// Slots in this process's own memory, which has a limit. Others of its node do not see them.
class SpareSlots {
public:
  /// `max_bytes`: of all that make() makes. `peak_bytes`: where the most of a phase is counted, in make() and
  /// copy().
  SpareSlots(std::size_t slot_bytes, std::size_t max_bytes, std::size_t& peak_bytes)
      : lines_((sizeof(Slot) + slot_bytes + THALWEG_STREAM_AHEAD) / sizeof(Line)), max_bytes_(max_bytes),
        peak_bytes_(peak_bytes) {}

  /// A slot to fill. Throws Error beyond the limit.
  Slot& make();
  /// What has arrived and is kept: with its head, and as many items as that says.
  Slot& copy(const Slot& slot);
  /// A mark that came without a slot.
  Slot& make_mark(const SlotHead& head);
  void free(Slot& slot);

  /// What is kept leaves as much to what is sent.
  bool may_keep_more() const { return bytes_ < max_bytes_ / 2; }
  std::size_t bytes() const { return bytes_; }

private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  Slot& allocate();
  Slot& counted();

  std::size_t lines_; // of a slot
  std::size_t max_bytes_;
  std::size_t& peak_bytes_;
  std::size_t bytes_ = 0;
};

/// Spare slots that wait for slots of the node's memory: by link, in order.
class Overflow {
public:
  explicit Overflow(SpareSlots& spare) : spare_(spare) {}
  ~Overflow() {
    for (auto& [link, slots] : waiting_)
      for (Slot* slot : slots)
        spare_.free(*slot);
  }
  Overflow(const Overflow&) = delete;
  Overflow& operator=(const Overflow&) = delete;

  bool is_empty() const { return waiting_.empty(); }
  /// Something waits for the link: all that comes later has to wait as well.
  bool holds(std::uint32_t link) const { return waiting_.contains(link); }
  void append(std::uint32_t link, Slot& slot) { waiting_[link].push_back(&slot); }

  /// Hands over what waits, each link's in order, as long as `take` takes it. Was there anything that it
  /// took?
  template <typename Take>
  bool drain(Take take) {
    bool moved = false;
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      std::deque<Slot*>& slots = at->second;
      while (!slots.empty() && take(at->first, *slots.front())) {
        spare_.free(*slots.front());
        slots.pop_front();
        moved = true;
      }
      at = slots.empty() ? waiting_.erase(at) : std::next(at);
    }
    return moved;
  }

private:
  SpareSlots& spare_;
  std::map<std::uint32_t, std::deque<Slot*>> waiting_; // by link
};

} // namespace thalweg::streams

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What handlers send when no slot is free: kept by link, in order, until there is one.

#include "stream/slot.hpp"
#include "thalweg/stream_links.h"

#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <new>

namespace thalweg::streams {

class Overflow {
public:
  explicit Overflow(std::size_t slot_bytes)
      : lines_((sizeof(Slot) + slot_bytes + THALWEG_STREAM_AHEAD) / sizeof(Line)) {}

  /// A slot to fill.
  Slot& make() {
    bytes_ += lines_ * sizeof(Line);
    return *new (new Line[lines_]) Slot;
  }
  void free(Slot& slot) {
    bytes_ -= lines_ * sizeof(Line);
    delete[] reinterpret_cast<Line*>(&slot);
  }

  bool is_empty() const { return waiting_.empty(); }
  /// Something waits for the link: all that comes later has to wait as well.
  bool holds(std::uint32_t link) const { return waiting_.contains(link); }
  void append(std::uint32_t link, Slot& slot) { waiting_[link].push_back(&slot); }

  /// Hands over what waits, each link's in order, as long as `take` takes it.
  template <typename Take>
  bool drain(Take take) {
    bool moved = false;
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      std::deque<Slot*>& slots = at->second;
      while (!slots.empty() && take(at->first, *slots.front())) {
        free(*slots.front());
        slots.pop_front();
        moved = true;
      }
      at = slots.empty() ? waiting_.erase(at) : std::next(at);
    }
    return moved;
  }

  std::size_t bytes() const { return bytes_; }

  ~Overflow() {
    for (auto& [link, slots] : waiting_)
      for (Slot* slot : slots)
        free(*slot);
  }
  Overflow(const Overflow&) = delete;
  Overflow& operator=(const Overflow&) = delete;

private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::map<std::uint32_t, std::deque<Slot*>> waiting_; // by link
  std::size_t lines_;
  std::size_t bytes_ = 0;
};

} // namespace thalweg::streams

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where slots of the node's memory do not suffice: memory of this process for what handlers send when no slot
// is free, for what belongs to the next phase, the queues of what waits for slots, and
// what is sent before the mesh is known that it goes along.

#include "base/assertion.hpp"
#include "stream/slot.hpp"
#include "thalweg/stream_links.h"

#include <array>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

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

  std::size_t lines_; ///< of a slot
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
  std::map<std::uint32_t, std::deque<Slot*>> waiting_; ///< by link
};

/// What handlers of other streams send to a stream while its phase ends. It belongs to the next phase, whose
/// mesh is not known yet. So each item stands behind its rank.
///
/// Programs put items into links without a call. Here they find a mesh in which every item leaves along the
/// first dimension: its side is 2, and this rank's own coordinate is neither. So there are two links, for
/// even and odd ranks, and the tag is half the rank.
class DeferredItems {
public:
  static constexpr std::uint32_t links = 2;

  /// Any item of the program, with the tag here or in a mesh, has at most so many bytes.
  DeferredItems(SpareSlots& spare, std::uint32_t max_item_bytes)
      : spare_(spare), max_item_bytes_(max_item_bytes) {}
  ~DeferredItems() {
    for (const std::vector<Slot*>& slots : slots_)
      for (Slot* slot : slots)
        spare_.free(*slot);
  }
  DeferredItems(const DeferredItems&) = delete;
  DeferredItems& operator=(const DeferredItems&) = delete;

  /// What is sent now is deferred.
  bool is_on() const { return is_on_; }
  /// Was that otherwise before?
  bool turn(bool on) { return std::exchange(is_on_, on) != on; }
  /// The program puts items here. Nobody looks at what is kept.
  void show_in(thalweg_stream_view& view) {
    static constexpr thalweg_stream_window windows[links]{};
    constexpr std::uint32_t tag_bytes = 4;
    view.links = open_.data();
    view.windows = windows;
    view.dimension = dimensions_.data();
    view.dimensions = links;
    view.cells = nullptr;
    view.tag_bytes = tag_bytes;
  }

  /// Makes place for another item. Whatever the link held is kept. Throws Error where that is too much.
  void refill(std::uint32_t link) {
    THALWEG_ASSERT(normal, is_on_ && link < links);
    close(link);
    Slot& slot = spare_.make();
    char* const begin = reinterpret_cast<char*>(slot.items());
    slots_[link].push_back(&slot);
    open_[link] = {begin, begin + max_item_bytes_};
  }

  /// Hands over all that is kept, in order: items for the ranks 2 n + `odd`, behind their n.
  template <typename Take>
  void drain(Take take) {
    THALWEG_ASSERT(normal, !is_on_);
    for (std::uint32_t odd = 0; odd < links; ++odd) {
      close(odd);
      for (Slot* const slot : std::exchange(slots_[odd], {})) {
        take(std::span(reinterpret_cast<const char*>(slot->items()), slot->head.bytes), odd);
        spare_.free(*slot);
      }
    }
  }
  bool is_empty() const { return slots_[0].empty() && slots_[1].empty(); }

private:
  void close(std::uint32_t link) {
    thalweg_stream_link& open = open_[link];
    if (open.next == nullptr)
      return;
    Slot& slot = *slots_[link].back();
    slot.head.bytes = static_cast<std::uint32_t>(open.next - reinterpret_cast<char*>(slot.items()));
    open = {};
  }

  SpareSlots& spare_;
  std::uint32_t max_item_bytes_;
  bool is_on_ = false;
  std::array<thalweg_stream_link, links> open_{};
  std::array<std::vector<Slot*>, links> slots_;
  std::array<thalweg_stream_dimension, 2> dimensions_{{
      {.side = 2, .own = 2, .first_link = 0, .reciprocal = std::uint64_t{1} << 63},
      {.side = 1, .own = 0, .first_link = links, .reciprocal = 0},
  }};
};

} // namespace thalweg::streams

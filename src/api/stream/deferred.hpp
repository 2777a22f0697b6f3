// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What handlers of other streams send to a stream while its phase ends. It belongs to the next phase, whose
// mesh is not known yet. So each item stands behind its rank.
//
// Programs put items into links without a call. Here they find a mesh in which every item leaves along the
// first dimension: its side is 2, and this rank's own coordinate is neither. So there are two links, for even
// and odd ranks, and the tag is half the rank.

#include "base/assertion.hpp"
#include "stream/overflow.hpp"
#include "thalweg/stream_links.h"

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace thalweg::streams {

class Deferred {
public:
  static constexpr std::uint32_t links = 2;

  /// Any item of the program, with the tag here or in a mesh, has at most so many bytes.
  Deferred(SpareSlots& spare, std::uint32_t max_item_bytes)
      : spare_(spare), max_item_bytes_(max_item_bytes) {}
  ~Deferred() {
    for (const std::vector<Slot*>& slots : slots_)
      for (Slot* slot : slots)
        spare_.free(*slot);
  }
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;

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

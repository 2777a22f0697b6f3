// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What handlers of other streams send to a stream while its phase ends. It belongs to the next phase, whose
// mesh is not known yet. So each item stands behind its rank.
//
// Programs put items into links without a call. Here they find a mesh in which every item leaves along the
// first dimension: its side is 2, and this rank's own coordinate is neither. So there are two links, for even
// and odd ranks, and the tag is half the rank.

#include "stream/overflow.hpp"
#include "thalweg/stream_links.h"

#include <array>
#include <cstdint>
#include <deque>
#include <utility>

namespace thalweg::streams {

class Deferred {
public:
  static constexpr std::uint32_t links = 2;
  static constexpr std::uint32_t tag_bytes = 4;

  /// Nobody looks at what is kept.
  static constexpr thalweg_stream_window windows[links]{};

  thalweg_stream_link* open_links() { return open_.data(); }
  const thalweg_stream_dimension* dimensions() const { return dimensions_.data(); }

  /// Whatever the link held is kept; it goes on with this slot, of so many bytes.
  void give(std::uint32_t link, Slot& slot, std::uint32_t bytes) {
    close(link);
    char* const begin = reinterpret_cast<char*>(slot.items());
    slots_[link].push_back(&slot);
    open_[link] = {begin, begin + bytes};
  }

  /// Of the ranks 2 n + `link`: the slots, whose heads say how many bytes they have, in order.
  std::deque<Slot*> take(std::uint32_t link) {
    close(link);
    return std::exchange(slots_[link], {});
  }

private:
  void close(std::uint32_t link) {
    thalweg_stream_link& open = open_[link];
    if (open.next == nullptr)
      return;
    Slot& slot = *slots_[link].back();
    slot.head.bytes = static_cast<std::uint32_t>(open.next - reinterpret_cast<char*>(slot.items()));
    open = {};
  }

  std::array<thalweg_stream_link, links> open_{};
  std::array<std::deque<Slot*>, links> slots_;
  std::array<thalweg_stream_dimension, 2> dimensions_{{
      {.side = 2, .own = 2, .first_link = 0, .reciprocal = std::uint64_t{1} << 63},
      {.side = 1, .own = 0, .first_link = links, .reciprocal = 0},
  }};
};

} // namespace thalweg::streams

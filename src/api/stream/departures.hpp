// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Slots on their way out of a rank: pools of those that it may fill, the ways to its peers, and the queues of
// what waits for a slot. A link's slots leave in order, also where some of them wait.

#include "stream/mesh.hpp"
#include "stream/overflow.hpp"
#include "stream/statistics.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::streams {

class Departures {
public:
  /// `done`: where is counted what leaves.
  Departures(const MeshEnd& mesh, SpareSlots& spare, Statistics& done)
      : mesh_(mesh), spare_(spare), overflow_(spare), done_(done) {
    enter();
  }

  /// The mesh is another one. Nothing waits, and no slot is in use.
  void enter();

  /// The number on this node of the link's peer, or -1: he is on another one.
  Rank near(std::uint32_t link) const { return ways_[link].near; }
  std::uint32_t dimension(std::uint32_t link) const { return ways_[link].dimension; }

  /// Something waits for the link: what comes later has to wait as well.
  bool is_waited_for(std::uint32_t link) const { return overflow_.holds(link); }
  /// A slot would be free for it.
  bool has_free(std::uint32_t link) const { return pools_[ways_[link].dimension].has_free(); }
  /// A slot to fill for the link. Null: none is free, or what has been filled before has to go first.
  Slot* take(std::uint32_t link) {
    return is_waited_for(link) ? nullptr : pools_[ways_[link].dimension].take();
  }
  /// Or one that waits for a free one when it is filled. Throws Error where too many do.
  Slot& take_spare() { return spare_.make(); }

  /// The slot is filled, and its head is right.
  void send(std::uint32_t link, Slot& slot);
  void send_spare(std::uint32_t link, Slot& slot) { overflow_.append(link, slot); }
  /// A mark alone, to a peer on this node.
  void send(std::uint32_t link, const Notice& notice);
  /// To a peer on this node: there is something for him to see.
  void ring(std::uint32_t link) const { mesh_.ring(ways_[link].near); }
  /// What waits leaves, as far as there are slots. Was there anything that could?
  bool drain() { return !overflow_.is_empty() && drain_waiting(); }
  /// Messages to other nodes go on, which frees their slots.
  void progress() {
    if (mesh_.remote() != nullptr)
      mesh_.remote()->progress();
  }

  /// Nothing waits.
  bool is_empty() const { return overflow_.is_empty(); }
  /// Of this mesh, as far as it was touched.
  std::size_t memory_bytes() const;

private:
  bool drain_waiting();

  struct Way {
    Rank peer = -1; // -1: no such link
    Rank near = -1;
    std::uint32_t dimension = 0;
    MailboxEnd mailbox;
  };

  const MeshEnd& mesh_;
  SpareSlots& spare_;
  Overflow overflow_;
  Statistics& done_;
  std::vector<Way> ways_;       // by link
  std::vector<SlotPool> pools_; // by dimension
};

} // namespace thalweg::streams

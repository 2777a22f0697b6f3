// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The links of a mesh, and the slots that are filled for them: which are sent when they are full, when their
// link is flushed, when they have waited for long, or when the phase ends. What is sent leaves through the
// departures: pools of slots that this rank may fill, the ways to its peers, and the queues of what waits for
// a slot. A link's slots leave in order, also where some of them wait.

#include "stream/mesh.hpp"
#include "stream/overflow.hpp"
#include "stream/phase_end.hpp"
#include "stream/statistics.hpp"
#include "thalweg/stream_links.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace thalweg::streams {

/// Slots on their way out of a rank.
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
    Rank peer = -1; ///< -1: no such link
    Rank near = -1;
    std::uint32_t dimension = 0;
    MailboxEnd mailbox;
  };

  const MeshEnd& mesh_;
  SpareSlots& spare_;
  Overflow overflow_;
  Statistics& done_;
  std::vector<Way> ways_;       ///< by link
  std::vector<SlotPool> pools_; ///< by dimension
};

/// How often something may be done that takes time: as long as it takes a small part of all. What was not
/// used is saved for a while, so that a program that computes for long may do it often now and then.
class Pace {
public:
  /// It may take one part in so many, and use what was saved for so long.
  Pace(std::uint64_t one_in, std::uint64_t saved_ns_max)
      : one_in_(one_in), saved_ns_max_(saved_ns_max), saved_ns_(saved_ns_max) {}

  bool may(std::uint64_t now_ns) {
    saved_ns_ = std::min(saved_ns_max_, saved_ns_ + (now_ns - last_ns_));
    last_ns_ = now_ns;
    return saved_ns_ >= one_in_ * took_ns_;
  }
  /// It was done, and took so long.
  void took(std::uint64_t ns) {
    took_ns_ = ns;
    saved_ns_ -= std::min(saved_ns_, one_in_ * ns);
  }

private:
  std::uint64_t one_in_;
  std::uint64_t saved_ns_max_;
  std::uint64_t saved_ns_;
  std::uint64_t last_ns_ = 0;
  std::uint64_t took_ns_ = 0; ///< the last one
};

class Links final : public LinkCloser {
public:
  /// `item_bytes`: of an item, without a tag; 0: they differ. `done`: where slots that are sent are counted.
  Links(const MeshEnd& mesh, Departures& departures, std::uint32_t item_bytes, Statistics& done)
      : mesh_(mesh), departures_(departures), item_bytes_(item_bytes), done_(done) {
    enter();
  }

  /// The mesh is another one: no slot is filled or under way.
  void enter();
  /// The program puts items here.
  void show_in(thalweg_stream_view& view) const;

  /// A slot of the link is being filled.
  bool is_filling(std::uint32_t link) const { return links_[link].slot != nullptr; }
  bool is_empty() const;
  bool has_place(std::uint32_t link, std::size_t bytes) const {
    const thalweg_stream_link& open = open_[link];
    return open.next != nullptr && bytes <= static_cast<std::size_t>(open.end - open.next);
  }
  /// The link's next slots hold at least so many bytes.
  void widen(std::uint32_t link, std::size_t bytes);
  /// A link that fills no slot goes on with a free one. False: none is free.
  bool fill(std::uint32_t link);
  /// Or with a spare one. Throws Error where there are too many.
  void fill_spare(std::uint32_t link) { give(link, departures_.take_spare(), true); }

  /// Sends what a link that fills a slot has.
  void send(std::uint32_t link, Reason reason) { post(link, {}, reason); }
  /// Sends what all links have, this rank's successors first: all ranks do so at about the same time.
  void send_all();
  /// Sends what links have had since the last call. (TRAM's rule is to send all if nothing was sent since the
  /// last look, which lets one slow link among busy ones wait for ever.)
  void send_old();
  /// To be called after each look for what arrives, while this rank waits. Others may wait for what is here:
  /// it is sent where nothing moves.
  void looked(bool moved);
  /// What the link has goes on its way: at once, or as soon as that pays. It does not wait.
  void hurry(std::uint32_t link, bool at_once);
  bool close(std::uint32_t link, const Mark& mark) override;

  /// All links are closed. The next phase begins.
  void end_phase();

private:
  struct Link {
    Slot* slot = nullptr; ///< that is being filled
    bool is_spare = false;
    bool was_seen = false;        ///< by send_old()
    std::uint32_t fill_bytes = 0; ///< of its next slot
  };

  std::uint32_t first_fill(std::uint32_t link) const;
  std::size_t stride(std::uint32_t link) const;
  thalweg_stream_link part_of(std::uint32_t link, Slot& slot) const;
  thalweg_stream_window window_of(std::uint32_t link, const Slot& slot) const;
  void give(std::uint32_t link, Slot& slot, bool is_spare);
  void post(std::uint32_t link, const Mark& mark, Reason reason);

  const MeshEnd& mesh_;
  Departures& departures_;
  std::uint32_t item_bytes_;
  Statistics& done_;
  std::vector<thalweg_stream_link> open_;
  std::vector<thalweg_stream_window> windows_;
  std::vector<Link> links_;
  std::uint8_t phase_ = 0;          ///< modulo 2
  Pace pace_{10, 10'000'000};       ///< of short messages to other nodes: a tenth of the time
  std::uint32_t looks_in_vain_ = 0; ///< one after the other
};

} // namespace thalweg::streams

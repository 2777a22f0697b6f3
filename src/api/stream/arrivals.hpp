// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What comes to a rank: slots of ranks of its node and of others, and what peers of its node show of slots
// that they still fill. Items go to the handler, marks to the phase's end. What belongs to the next phase is
// kept until that has begun: where its sender has put it, or copied away where he must not be held up.

#include "stream/handler.hpp"
#include "stream/mesh.hpp"
#include "stream/node_memory.hpp"
#include "stream/overflow.hpp"
#include "stream/phase_end.hpp"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace thalweg::streams {

class Arrivals {
public:
  Arrivals(const MeshEnd& mesh, SpareSlots& spare, Handler& handler, PhaseEnd& phase_end, Failure& failure)
      : mesh_(mesh), spare_(spare), handler_(handler), phase_end_(phase_end), failure_(failure) {
    enter();
  }
  ~Arrivals();
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  /// The mesh is another one. What came early stays.
  void enter();
  /// The next phase begins.
  void end_phase() { phase_ ^= 1; }
  /// While `on`, what arrives is kept for later instead of being handled, as long as there is memory for it.
  void hold(bool on) { holds_ = on; }

  /// Takes in what has arrived along the dimensions from this one on. `copies`: what is kept is copied, for
  /// its senders must not be held up now. Was there anything?
  bool take(std::uint32_t from_dimension, bool copies);
  /// Takes in what peers show, unless that was done a moment ago. What came before is taken in: take(0, ..)
  /// was the last call. Was there anything?
  bool take_shown(std::uint64_t now_ns);
  /// It was not: this rank sleeps, or slept.
  void show_at_once() { shown_ns_ = 0; }

private:
  struct EarlySlot {
    Slot* slot;
    bool is_copy;
    std::uint32_t taken = 0; ///< bytes of it, before
  };

  bool handles(std::uint32_t phase) const { return phase == phase_ && !holds_; }
  bool may_take() const { return !holds_ || spare_.may_keep_more(); }
  bool take_early(std::uint32_t dimension, bool copies);
  bool take_near(std::uint32_t dimension, bool copies);
  bool take_far(std::uint32_t dimension, bool copies);
  bool take_from(Inbox& inbox, std::uint32_t dimension, bool copies);
  void take_mark(const Notice& notice, std::uint32_t dimension);
  bool take_shown(Inbox& inbox, std::uint32_t dimension);
  void handle(Slot& slot, std::uint32_t taken);
  void handle_items(std::span<const char> items, std::uint32_t dimension);
  void free_near(Slot& slot);

  const MeshEnd& mesh_;
  SpareSlots& spare_;
  Handler& handler_;
  PhaseEnd& phase_end_;
  Failure& failure_;
  std::vector<std::vector<Inbox>> inboxes_;  ///< by dimension, of senders on this node
  std::vector<std::deque<EarlySlot>> early_; ///< of the next phase, by dimension
  std::uint8_t phase_ = 0;                   ///< modulo 2
  bool holds_ = false;
  std::uint64_t shown_ns_ = 0; ///< when it looked into windows
};

} // namespace thalweg::streams

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a phase ends, on one rank: waves of marks and quiescence checks (stream/wave.hpp), one after the other,
// until all ranks know that nothing is under way. Then they may choose another mesh (stream/choosing.hpp).
//
//   open --begin--> wave --all marks, nothing was active--> ended or choosing --> open
//                     |  ^
//            was active  |  active again
//                     v  |
//                  quiescence --nobody was active--> ended or choosing
//
// It neither sends nor waits: links are closed by a LinkCloser, and whoever takes in what arrives says what
// marks have come.

#include "stream/choosing.hpp"
#include "stream/handler.hpp"
#include "stream/item_route.hpp"
#include "stream/statistics.hpp"
#include "stream/wave.hpp"

#include <cstdint>

namespace thalweg::streams {

class PhaseEnd {
public:
  /// `route`: of the mesh in use, also after enter(). `has_sent`: not 0 once this rank has put an item of its
  /// own into a link; set to 0 when a wave begins. `choosing`: null where the mesh never changes.
  PhaseEnd(const ItemRoute& route, Failure& failure, std::uint32_t& has_sent, PhaseRecord& record,
           Choosing* choosing);

  /// The mesh, and so the route, is another one.
  void enter();

  /// From begin() until end().
  bool is_finishing() const { return stage_ != Stage::open; }
  /// All ranks know whether the phase was active and whether it has failed.
  bool has_ended() const { return stage_ == Stage::ended; }
  /// No link is closed any more, and it is not said yet how to go on.
  bool is_choosing() const { return stage_ == Stage::choosing; }

  /// The phase is to end: nothing more is sent but by handlers.
  void begin();
  /// Closes what is to be closed next, without a look at what has arrived. Whatever fills links leaves so.
  void close_first(LinkCloser& links) { has_closed(route_.end_link(closing_dimension_), links); }
  /// Goes on as far as marks have come, and slots are free.
  void advance(LinkCloser& links);
  /// is_choosing(), and nothing is on its way in the mesh any more: the one to go on with, or null.
  const Mesh* choose();
  /// has_ended(): the next phase begins. Asked before a failure is forgotten.
  void end();

  /// A mark has come along a dimension, or in a quiescence check.
  void take_mark(std::uint32_t dimension, std::uint8_t flags);
  /// And what its sender has seen of the phase.
  void take_seen(const PhaseSeen& seen) { quiescence_.has_seen(seen); }

private:
  enum class Stage { open, wave, quiescence, choosing, ended };

  void begin_wave();
  bool end_dimension(LinkCloser& links);
  bool check_quiescence(LinkCloser& links);
  bool has_closed(std::uint32_t end, LinkCloser& links);
  Mark mark(bool checks_quiescence) const;
  void end_waves();

  const ItemRoute& route_;
  Failure& failure_;
  std::uint32_t& has_sent_;
  PhaseRecord& record_;
  Choosing* choosing_;
  Wave wave_;
  QuiescenceCheck quiescence_;
  Stage stage_ = Stage::open;
  bool was_active_ = false; // anything was sent in this phase, as all ranks know
  bool is_due_ = false;     // the ranks tell each other what they have seen of it
  std::uint32_t closing_dimension_ = 0;
  std::uint32_t closing_link_ = 0;
};

} // namespace thalweg::streams

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a phase ends, on one rank: waves of marks and quiescence checks, one after the other, until all ranks
// know that nothing is under way. Then they may choose another mesh (MeshChooser).
//
//   open --begin--> wave --all marks, nothing was active--> ended or choosing --> open
//                     |  ^
//            was active  |  active again
//                     v  |
//                  quiescence --nobody was active--> ended or choosing
//
// It neither sends nor waits: links are closed by a LinkCloser, and whoever takes in what arrives says what
// marks have come.
//
// A rank closes its links dimension by dimension: its last slot to each peer carries a mark, and those of a
// dimension go out when the marks of all senders along the dimensions before have come. Links keep their
// order, so whoever has all marks has all that was sent before them. This is one *wave*.
//
// Handlers may have sent more meanwhile. So marks also say whether anything was sent, or failed, before the
// sender began the wave; as marks spread along all dimensions, all ranks come to the same result. Where
// nothing was, the phase has ended. Else a quiescence check follows (QuiescenceCheck): whoever has all
// marks has handled all that was sent before any of them, and says whether anything has been sent since. If
// nobody has, nothing is under way, and nobody will send any more. Else there is another wave. (Mattern 1987
// needs two equal rounds of counters, as his channels keep no order.)

#include "base/assertion.hpp"
#include "base/rank.hpp"
#include "stream/handler.hpp"
#include "stream/item_route.hpp"
#include "stream/mesh.hpp"
#include "stream/slot.hpp"
#include "stream/statistics.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace thalweg::streams {

/// What the last slot of a wave says, behind the link's items or in their place.
struct Mark {
  std::uint8_t flags = 0;          ///< as in SlotHead
  Rank failed_rank = -1;           ///< where a handler has failed: the text is its reason
  std::span<const char> text = {}; ///< that goes along, as the flags say: a reason, or a PhaseMeasurement

  bool has_text() const { return (flags & (SlotHead::has_failed | SlotHead::has_seen)) != 0; }
};

/// Who sends marks.
class LinkCloser {
public:
  virtual ~LinkCloser() = default;

  /// The link's last slot of this wave goes out, or a mark alone. False: there is no slot for it yet.
  virtual bool close(std::uint32_t link, const Mark& mark) = 0;
};

/// The wave that is open or next. No mark of the one after it comes before it has ended, as that one begins
/// with a quiescence check's end, or in the next phase.
class Wave {
public:
  explicit Wave(std::uint32_t dimensions) : marks_(dimensions) {}

  void begin(bool was_active) { was_active_ |= was_active; }
  void mark_arrived(std::uint32_t dimension, bool was_active) {
    THALWEG_ASSERT(normal, dimension < marks_.size());
    ++marks_[dimension];
    was_active_ |= was_active;
  }
  bool has_marks(std::uint32_t dimension, std::uint32_t senders) const {
    return marks_[dimension] == senders;
  }
  /// As far as is known.
  bool was_active() const { return was_active_; }
  /// All marks have come. Was anything active?
  bool end() {
    marks_.assign(marks_.size(), 0);
    return std::exchange(was_active_, false);
  }

private:
  std::vector<std::uint32_t> marks_; ///< by dimension
  bool was_active_ = false;
};

/// How the ranks learn whether a handler has sent anything since its rank closed its links: after a wave of
/// marks in which something was active. Each says so when it has all marks of the wave.
///
/// A dissemination (Hensgen, Finkel and Manber 1988) of radix 4 (ItemRoute::quiescence_radix): in round r a
/// rank sends what it knows to those that are 4^r, 2 * 4^r and 3 * 4^r ranks behind it. So 1,000 ranks know
/// in five rounds, of 15 messages of a rank.
///
/// Nobody can be in the next quiescence check before all are in this one, nor end it before all have begun
/// it. So what arrives belongs to the quiescence check that is next or open.
///
/// Where the ranks are to know what all have seen of the phase, its maxima go along. A rank may say the same
/// again in the phase's next check.
class QuiescenceCheck {
public:
  /// By round, how many messages a rank gets in it.
  explicit QuiescenceCheck(std::vector<std::uint32_t> messages)
      : messages_(std::move(messages)), arrived_(messages_.size()) {}

  void begin(bool was_active, const PhaseMeasurement& own) {
    was_active_ |= was_active;
    seen_.take_maxima(own);
    round_ = 0;
  }
  void arrived(std::uint32_t round, bool was_active) {
    THALWEG_ASSERT(normal, round < arrived_.size() && arrived_[round] < messages_[round]);
    ++arrived_[round];
    was_active_ |= was_active;
  }

  /// The one that is open, or how many there are.
  std::uint32_t round() const { return round_; }
  std::uint32_t rounds() const { return static_cast<std::uint32_t>(messages_.size()); }
  bool has_round() const { return arrived_[round_] == messages_[round_]; }
  void end_round() { ++round_; }
  void has_seen(const PhaseMeasurement& seen) { seen_.take_maxima(seen); }
  /// As far as is known.
  bool was_active() const { return was_active_; }
  const PhaseMeasurement& seen() const { return seen_; }
  /// Of the phase, which has ended.
  PhaseMeasurement take_seen() { return std::exchange(seen_, {}); }

  /// After the last round. Was anything active?
  bool end() {
    arrived_.assign(arrived_.size(), 0);
    return std::exchange(was_active_, false);
  }

private:
  std::vector<std::uint32_t> messages_;
  std::vector<std::uint32_t> arrived_;
  std::uint32_t round_ = 0;
  bool was_active_ = false;
  PhaseMeasurement seen_;
};

class PhaseEnd {
public:
  /// `route`: of the mesh in use, also after enter(). `has_sent`: not 0 once this rank has put an item of its
  /// own into a link; set to 0 when a wave begins. `choosing`: null where the mesh never changes.
  PhaseEnd(const ItemRoute& route, Failure& failure, std::uint32_t& has_sent, PhaseRecord& record,
           MeshChooser* choosing);

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
  void take_seen(const PhaseMeasurement& seen) { quiescence_.has_seen(seen); }

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
  MeshChooser* choosing_;
  Wave wave_;
  QuiescenceCheck quiescence_;
  Stage stage_ = Stage::open;
  bool was_active_ = false; ///< anything was sent in this phase, as all ranks know
  bool is_due_ = false;     ///< the ranks tell each other what they have seen of it
  std::uint32_t closing_dimension_ = 0;
  std::uint32_t closing_link_ = 0;
};

} // namespace thalweg::streams

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Closing marks: how a phase ends.
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
#include "stream/phase_seen.hpp"
#include "stream/slot.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace thalweg::streams {

/// What the last slot of a wave says, behind the link's items or in their place.
struct Mark {
  std::uint8_t flags = 0;          ///< as in SlotHead
  Rank failed_rank = -1;           ///< where a handler has failed: the text is its reason
  std::span<const char> text = {}; ///< that goes along, as the flags say: a reason, or a PhaseSeen

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
  std::vector<std::uint32_t> marks_; // by dimension
  bool was_active_ = false;
};

/// How the ranks learn whether a handler has sent anything since its rank closed its links: after a wave of
/// marks in which something was active. Each says so when it has all marks of the wave.
///
/// A dissemination (Hensgen, Finkel and Manber 1988) of radix 4: in round r a rank sends what it knows to
/// those that are 4^r, 2 * 4^r and 3 * 4^r ranks behind it. So 1,000 ranks know in five rounds, of 15
/// messages of a rank.
///
/// Nobody can be in the next quiescence check before all are in this one, nor end it before all have begun
/// it. So what arrives belongs to the quiescence check that is next or open.
///
/// Where the ranks are to know what all have seen of the phase, its maxima go along. A rank may say the same
/// again in the phase's next check.
class QuiescenceCheck {
public:
  static constexpr std::int32_t radix = 4;

  /// By round, how many messages a rank gets in it.
  explicit QuiescenceCheck(std::vector<std::uint32_t> messages)
      : messages_(std::move(messages)), arrived_(messages_.size()) {}

  void begin(bool was_active, const PhaseSeen& own) {
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
  void has_seen(const PhaseSeen& seen) { seen_.take_maxima(seen); }
  /// As far as is known.
  bool was_active() const { return was_active_; }
  const PhaseSeen& seen() const { return seen_; }
  /// Of the phase, which has ended.
  PhaseSeen take_seen() { return std::exchange(seen_, {}); }

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
  PhaseSeen seen_;
};

} // namespace thalweg::streams

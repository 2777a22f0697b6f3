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
// nothing was, the phase has ended. Else a quiescence check follows (stream/quiescence.hpp): whoever has all
// marks has handled all that was sent before any of them, and says whether anything has been sent since. If
// nobody has, nothing is under way, and nobody will send any more. Else there is another wave. (Mattern 1987
// needs two equal rounds of counters, as his channels keep no order.)

#include <cstdint>
#include <utility>
#include <vector>

namespace thalweg::streams {

/// The wave that is open or next. No mark of the one after it comes before it has ended, as that one begins
/// with a quiescence check's end, or in the next phase.
class Wave {
public:
  explicit Wave(std::uint32_t dimensions) : marks_(dimensions) {}

  void begin(bool was_active) { was_active_ |= was_active; }
  void mark_arrived(std::uint32_t dimension, bool was_active) {
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

} // namespace thalweg::streams

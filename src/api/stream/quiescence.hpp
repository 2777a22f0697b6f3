// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How the ranks learn whether a handler has sent anything since its rank closed its links: after a wave of
// marks in which something was active. Each says so when it has all marks of the wave.
//
// A dissemination (Hensgen, Finkel and Manber 1988) of radix 4: in round r a rank sends what it knows to
// those that are 4^r, 2 * 4^r and 3 * 4^r ranks behind it. So 1,000 ranks know in five rounds, of 15 messages
// of a rank.
//
// Nobody can be in the next quiescence check before all are in this one, nor end it before all have begun it.
// So what arrives belongs to the quiescence check that is next or open.
//
// Where the ranks are to know what all have seen of the phase, its maxima go along. A rank may say the same
// again in the phase's next check.

#include "stream/phase_seen.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace thalweg::streams {

class QuiescenceCheck {
public:
  static constexpr std::int32_t radix = 4;

  /// By round, how many messages a rank gets in it.
  explicit QuiescenceCheck(std::vector<std::uint32_t> messages)
      : messages_(std::move(messages)), arrived_(messages_.size()) {}

  bool is_open() const { return is_open_; }
  void begin(bool was_active, const PhaseSeen& own) {
    is_open_ = true;
    was_active_ |= was_active;
    seen_.take_maxima(own);
    round_ = 0;
  }
  void arrived(std::uint32_t round, bool was_active) {
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
    is_open_ = false;
    arrived_.assign(arrived_.size(), 0);
    return std::exchange(was_active_, false);
  }

private:
  std::vector<std::uint32_t> messages_;
  std::vector<std::uint32_t> arrived_;
  std::uint32_t round_ = 0;
  bool is_open_ = false;
  bool was_active_ = false;
  PhaseSeen seen_;
};

} // namespace thalweg::streams

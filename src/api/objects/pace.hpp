// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a scheduler divides its time: when it looks after other ranks while it runs messages, and when it takes
// part in a round of agreement on whether any message is left. Times are ticks of the processor's counter.

#include "base/assertion.hpp"

#include <algorithm>
#include <cstdint>

namespace thalweg::objects {

class Pace {
public:
  /// A verdict is waited for from now on.
  void begin(std::uint64_t now) { began_ = ran_ = now; }

  /// Others' messages are taken in, and one's own sent, now.
  void look(std::uint64_t now) { looked_ = now; }
  /// That is due once messages have run for so long.
  bool is_look_due(std::uint64_t now) const {
    THALWEG_ASSERT(normal, now >= looked_);
    return now - looked_ > between_looks;
  }

  /// A message has run until now.
  void run(std::uint64_t now) { ran_ = now; }
  /// Has nothing run for long enough to take part in a round? Rounds in which messages still run are in vain,
  /// and what they take is missing where messages are waited for. So a rank waits for a sixteenth of the time
  /// that messages have run since the last verdict: where ranks answer each other there are no rounds, and
  /// the last one comes later by as little.
  bool has_rested(std::uint64_t now) const {
    return now - ran_ >= std::min((ran_ - began_) / share, max_rest);
  }

private:
  static constexpr std::uint64_t between_looks = 50'000; ///< some 20 us
  static constexpr std::uint64_t share = 16;
  static constexpr std::uint64_t max_rest = 100'000; ///< some 40 us

  std::uint64_t began_ = 0;
  std::uint64_t ran_ = 0;
  std::uint64_t looked_ = 0;
};

} // namespace thalweg::objects

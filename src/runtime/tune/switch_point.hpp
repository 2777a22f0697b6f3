// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// From which of their calls on all ranks go by what they have agreed on, where no call may wait for others.
//
// Starts of nonblocking collectives are the same in number and order on all ranks, and return at once. So
// none may wait until others have started as much. A rank that has the result of all ranks' figures knows
// that all have begun that agreement, and that each of them will see the same inside of any MPI call. It then
// votes for a start of its own that is still to come, and ranks agree on the latest of all votes by a second
// agreement. To that one nobody comes late because a rank waits: whoever takes part needs the first agreement
// alone. So a rank may wait for its end, and does so only if it reaches the start that it voted for. Ranks
// cannot do without such a wait, as none knows what another one knows by now. But the first agreement tells
// how many starts an agreement takes, and whoever votes for one that is far enough off does not come to it.

#include "base/assertion.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace thalweg::tune {

class SwitchPoint {
public:
  /// Where a rank's start is.
  enum class Step : std::uint8_t {
    before,  ///< the switch is later, whatever others have voted
    unknown, ///< it may be this start: the rank has to wait for the second agreement, and looks again
    behind,  ///< the switch is here, or was before
  };

  /// The first agreement begins, before a start that is counted next.
  void open() {
    const std::lock_guard lock(mutex_);
    starts_ = 0;
    vote_ = 0;
    agreed_ = 0;
  }

  /// At each start, and again at one that had to wait.
  Step start() {
    const std::lock_guard lock(mutex_);
    ++starts_;
    return step();
  }
  Step look() const {
    const std::lock_guard lock(mutex_);
    return step();
  }

  /// Once, where the first agreement is complete. Any thread may see that.
  std::uint32_t vote() {
    const std::lock_guard lock(mutex_);
    THALWEG_ASSERT(light, vote_ == 0 && agreed_ == 0);
    vote_ = starts_ + std::clamp(times_longer * starts_, ahead, ahead_max);
    return vote_;
  }
  /// The second agreement is complete: the latest of all votes.
  void agree(std::uint32_t latest) {
    const std::lock_guard lock(mutex_);
    THALWEG_ASSERT(light, vote_ != 0 && latest >= vote_);
    agreed_ = latest;
  }

private:
  /// Starts until the one that is voted for, at least, and how many times those that the first agreement
  /// took. The second one has as many messages, but begins with the last rank to see the first one's end.
  static constexpr std::uint32_t ahead = 4;
  static constexpr std::uint32_t times_longer = 2;
  static constexpr std::uint32_t ahead_max = 32; ///< who is far ahead of others waits for them anyway

  Step step() const {
    if (agreed_ != 0)
      return starts_ >= agreed_ ? Step::behind : Step::before;
    return vote_ != 0 && starts_ >= vote_ ? Step::unknown : Step::before;
  }

  mutable std::mutex mutex_;
  std::uint32_t starts_ = 0; ///< since the first agreement began
  std::uint32_t vote_ = 0;   ///< 0: none yet
  std::uint32_t agreed_ = 0; ///< 0: not known yet
};

} // namespace thalweg::tune

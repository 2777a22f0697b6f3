// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What messages take of the processor. Reading a thread's processor time is a system call, many times what a
// short message takes. So short messages are timed by ticks, and only long ones are looked at again: it is
// they in which the kernel has run others on the core.

#include <algorithm>
#include <cstdint>

namespace thalweg::objects {

/// Clock: ticks() is cheap and goes on always; processor_ns() only while this thread runs; ns_per_tick().
template <typename Clock>
class LoadClock {
public:
  explicit LoadClock(Clock clock = {}) : clock_(clock) {}

  /// Begins to time, after a wait, whose time is nobody's.
  void restart() {
    is_marked_ = long_ones_ > 0;
    if (is_marked_) {
      --long_ones_;
      mark();
    }
    last_ = clock_.ticks();
  }

  /// Ticks since the last lap, but for those in which another thread had the core.
  std::uint64_t lap() {
    const std::uint64_t now = clock_.ticks();
    std::uint64_t took = now - last_;
    last_ = now;
    if (took > long_ticks) [[unlikely]] {
      took -= std::min(took, lost(now));
      mark();
      is_marked_ = true;
      long_ones_ = remembered;
      last_ = clock_.ticks();
    }
    return took;
  }
  std::uint64_t ticks() const { return clock_.ticks(); }
  /// When the last lap ended.
  std::uint64_t last() const { return last_; }

private:
  static constexpr std::uint64_t long_ticks = 100'000; ///< some 40 us: less than a slice of the kernel's
  static constexpr int remembered = 64; ///< waits after a long message, at which processor time is read

  void mark() {
    mark_ticks_ = clock_.ticks();
    mark_ns_ = clock_.processor_ns();
  }
  /// Ticks since the mark without the core; none where there is no mark.
  std::uint64_t lost(std::uint64_t now) const {
    const double ns_per_tick = clock_.ns_per_tick();
    if (!is_marked_ || ns_per_tick <= 0)
      return 0;
    const double had = static_cast<double>(clock_.processor_ns() - mark_ns_) / ns_per_tick;
    return static_cast<std::uint64_t>(std::max(0.0, static_cast<double>(now - mark_ticks_) - had));
  }

  Clock clock_;
  std::uint64_t last_ = 0;
  std::uint64_t mark_ticks_ = 0;
  std::uint64_t mark_ns_ = 0;
  bool is_marked_ = false;
  int long_ones_ = 0;
};

} // namespace thalweg::objects

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How far apart two ranks' cores are, noticed in passing: what it takes to load a line that the other has
// just written.
//
// Virtual cores change places within seconds, and nobody is told. But a rank that awaits a message loads its
// slot until the other has written it, and that load brings the line from the other's core. It took 78 to 104
// ticks of 2.6 GHz where a line went there and back in 55 ns, and 312 to 390 where it took 240 ns. Now and
// then one of these loads is timed. It waits for those before it and holds up those behind it, some 20 ns in
// all, so it is one in some dozens.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace thalweg::transport {

template <typename Value>
struct TimedLoad {
  Value value;
  std::uint64_t ticks = 0;
};

/// Loads with acquire order, and tells how long that took; 0 where no clock is cheap enough.
template <typename Value>
TimedLoad<Value> timed_load(const std::atomic<Value>& line) {
#if defined(__x86_64__)
  _mm_lfence();
  const std::uint64_t begin = __rdtsc();
  const Value value = line.load(std::memory_order_acquire);
  _mm_lfence();
  return {value, __rdtsc() - begin};
#else
  return {line.load(std::memory_order_acquire), 0};
#endif
}

/// Of a pair of ranks, as one of them sees it. One thread at a time uses it.
class LineDistance {
public:
  /// From so many ticks on the cores may be far apart, which is where writers try stores past the caches and
  /// keep to what takes less time (streaming_stores.hpp). Of counters at 2 to 3 GHz.
  static constexpr std::uint64_t far_ticks = 220;

  /// `is_known`: does each rank have a core of its own? Else lines are wherever the kernel puts ranks.
  explicit LineDistance(bool is_known = true) : left_(is_known ? 0 : never) {}

  /// Is the load to be timed that brings the next line?
  bool is_due() const { return left_ == 0; }
  /// A line has come, and its reader has done with it.
  void line_came() { left_ -= left_ > 0 && left_ != never ? 1 : 0; }
  /// A timed load has brought something new. The median of three counts: a processor may have fetched a line
  /// before it was asked for, and the system may have interrupted a load.
  void took(std::uint64_t ticks) {
    if (ticks == 0) {
      left_ = never;
      return;
    }
    last_[next_] = ticks;
    next_ = (next_ + 1) % last_.size();
    const bool agrees = (ticks >= far_ticks) == is_far_;
    is_far_ = median() >= far_ticks;
    left_ = agrees && last_.back() > 0 ? lines_between_timed : 1;
  }

  bool is_far() const { return is_far_; }
  /// Of a load; 0 before the third timed one.
  std::uint64_t ticks() const { return last_.back() > 0 ? median() : 0; }

private:
  static constexpr std::uint32_t lines_between_timed = 32;
  static constexpr std::uint32_t never = UINT32_MAX;

  std::uint64_t median() const {
    const auto [a, b, c] = last_;
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  }

  std::array<std::uint64_t, 3> last_{}; ///< ticks, in turns
  std::uint32_t next_ = 0;
  std::uint32_t left_; ///< lines until one is timed
  bool is_far_ = false;
};

} // namespace thalweg::transport

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether calls of the program may go the shortest way to the library, in one word: a call reads it once.
//
// What a thread knows of calls, of a place or of a collective, holds as long as the word is what it was. So
// nothing else need be looked at that all calls depend on: whether calls are observed, whether anything goes
// on beside them, and whether handles and choices are those of then.

#include <atomic>
#include <cstdint>

namespace thalweg::mpi {

/// How calls go that nothing else goes on beside.
enum class Way : std::uint64_t {
  observed = 0, ///< the long way: calls are traced, or waits look and yield, or we are not ready
  straight = 1, ///< nobody observes calls: those that nothing is chosen for are the library's at once
  counted = 2,  ///< calls are counted, and some of them are timed
  /// The long way, but calls that nobody notes unless they are traced are the library's at once.
  untraced = 4,
};

class Passage {
public:
  /// The way in its low bits, then how much goes on in the background, and how often what threads know was
  /// invalidated.
  std::uint64_t now() const { return word_.load(std::memory_order_relaxed); }

  void set_way(Way way) {
    std::uint64_t before = now();
    while (!word_.compare_exchange_weak(before, (before & ~way_mask) | static_cast<std::uint64_t>(way)))
      ;
  }
  void background_begun(int count) { word_.fetch_add(static_cast<std::uint64_t>(count) * one_background); }
  void background_ended(int count) { word_.fetch_sub(static_cast<std::uint64_t>(count) * one_background); }
  void invalidate() { word_.fetch_add(one_epoch, std::memory_order_relaxed); }

  /// Does the word allow that way, with nothing in the background?
  static constexpr bool is(std::uint64_t word, Way way) {
    return static_cast<std::uint32_t>(word) == static_cast<std::uint32_t>(way);
  }
  static constexpr bool is_quiet(std::uint64_t word) {
    return (static_cast<std::uint32_t>(word) & ~static_cast<std::uint32_t>(way_mask)) == 0;
  }
  /// Whatever goes on in the background.
  static constexpr bool is_untraced(std::uint64_t word) { return (word & way_mask) != 0; }

private:
  static constexpr std::uint64_t way_mask = 0x7;
  static constexpr std::uint64_t one_background = std::uint64_t{1} << 8U;
  static constexpr std::uint64_t one_epoch = std::uint64_t{1} << 32U;

  std::atomic<std::uint64_t> word_{0};
};

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How far apart two ranks' cores are, asked at one moment: a cache line goes there and back some times.
//
// Both ranks take part, and neither waits long for the other. The least of some samples counts, as all that
// disturbs makes them longer. The one that asks writes odd numbers, each once, and the other one answers what
// it finds, so that ranks that missed one another meet in the next look. What the lines of messages tell in
// passing (line_distance.hpp) needs no meeting, but messages.
//
// Where ranks must not wait at all, each writes a line of its own now and then, and times how long it takes
// to load the other's: a line that was written since comes from the other's core.

#include "transport/shm/line_distance.hpp"
#include "transport/shm/segment.hpp"
#include "wait/waiter.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace thalweg::transport {

/// In memory of zeros that both share. Processors fetch lines in pairs.
struct alignas(cache_line) PingLine {
  std::atomic<std::uint32_t> number;
  std::byte rest[2 * cache_line - sizeof(std::uint32_t)];
};

/// A pair's: the one that goes to and fro, and each end's own.
struct PingLines {
  PingLine shared;
  PingLine own[2];
};

/// One end. One thread at a time uses it.
class LinePing {
public:
  LinePing(PingLines* lines, bool asks) : line_(&lines->shared), lines_(lines), asks_(asks) {}

  /// What the line takes there and back, in ns; 0 where the other did not come in time. Both ends call this
  /// at about the same time, and only the one that asks learns it.
  double look_ns() {
    const std::uint64_t end_ns = wait::System::now_ns() + patience_ns;
    if (asks_)
      return ask(end_ns);
    answer(end_ns);
    return 0;
  }

  /// In ticks, what it takes to load what the other end has written in its last glance; 0 where it has had
  /// none since this end's last one. Nobody waits.
  std::uint64_t glance() {
    const auto [number, ticks] = timed_load(lines_->own[asks_ ? 0 : 1].number);
    lines_->own[asks_ ? 1 : 0].number.fetch_add(1, std::memory_order_release);
    return std::exchange(glanced_, number) == number ? 0 : ticks;
  }

private:
  static constexpr std::uint64_t patience_ns = 20'000;
  static constexpr std::uint32_t samples = 3;
  static constexpr std::uint32_t turns = 8;
  static constexpr std::uint32_t looks_per_clock = 32;

  double ask(std::uint64_t end_ns) {
    double shortest = 0;
    for (std::uint32_t sample = 0; sample <= samples; ++sample) { // in the first one they meet
      const std::uint64_t begin_ns = wait::System::now_ns();
      for (std::uint32_t turn = 0; turn < turns; ++turn) {
        line_->number.store(++number_, std::memory_order_release);
        ++number_;
        if (!waits_while(end_ns, [this](std::uint32_t number) { return number != number_; }))
          return shortest;
      }
      const double each = static_cast<double>(wait::System::now_ns() - begin_ns) / turns;
      if (sample > 0)
        shortest = sample == 1 ? each : std::min(shortest, each);
    }
    return shortest;
  }

  void answer(std::uint64_t end_ns) const {
    for (std::uint32_t left = turns * (samples + 1); left > 0; --left) {
      if (!waits_while(end_ns, [](std::uint32_t number) { return number % 2 == 0; }))
        return;
      line_->number.store(line_->number.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
  }

  /// False where that is too long.
  template <typename Condition>
  bool waits_while(std::uint64_t end_ns, Condition is_such) const {
    for (std::uint32_t looks = 1; is_such(line_->number.load(std::memory_order_acquire)); ++looks)
      if (looks % looks_per_clock == 0 && wait::System::now_ns() > end_ns)
        return false;
    return true;
  }

  PingLine* line_;
  PingLines* lines_;
  bool asks_;
  std::uint32_t number_ = 0;  ///< even; of the last answer
  std::uint32_t glanced_ = 0; ///< the other end's number, in this one's last glance
};

} // namespace thalweg::transport

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Takes the time of one call for its row; see call_table.hpp for which calls are timed.

#include "mpi/observe/call_table.hpp"
#include "mpi/observe/ticks.hpp"

#include <algorithm>
#include <cstdint>

namespace thalweg::mpi::observe {

struct ProcessClocks {
  static std::uint64_t ticks() { return observe::ticks(); }
  static std::uint64_t thread_cpu_ns() { return observe::thread_cpu_ns(); }
  static std::uint64_t thread_cpu_reading_ns() { return observe::thread_cpu_reading_ns(); }
};

template <typename Clocks>
class BasicStopwatch {
public:
  void start(CallRow& row, bool always) {
    timed_ = is_timed_ = always || row.is_to_be_timed();
    if (!timed_) {
      row.count();
    } else {
      ++row.calls;
      is_drawn_ = row.cpu_share.wants(row.timed_calls, reinterpret_cast<std::uintptr_t>(row.key.site));
      if (is_drawn_) [[unlikely]] {
        cpu_ns_ = Clocks::thread_cpu_ns();
      }
      start_ticks_ = Clocks::ticks();
      row.entered_ticks = start_ticks_;
    }
  }

  /// Again, it does nothing.
  void stop(CallRow& row) {
    if (timed_) {
      timed_ = false;
      stop_ticks_ = Clocks::ticks();
      row.left_ticks = stop_ticks_;
      const std::uint64_t taken = stop_ticks_ - start_ticks_;
      ++row.timed_calls;
      if (taken > row.max_call_ticks) {
        row.max_call_ticks = taken;
      }
      if (is_drawn_) [[unlikely]] {
        const std::uint64_t cpu_ns = Clocks::thread_cpu_ns() - cpu_ns_;
        row.cpu_share.add(taken, cpu_ns - std::min(cpu_ns, Clocks::thread_cpu_reading_ns()),
                          row.calls - row.counted_calls);
        journal().note_time();
      }
      row.took(start_ticks_, stop_ticks_);
      row.cpu_share.set_rate(taken, row.calls_for_each_timed(), cpu_reading_period_ticks());
    }
  }

  bool is_timed() const { return is_timed_; }
  std::uint64_t start_ticks() const { return start_ticks_; }
  std::uint64_t stop_ticks() const { return stop_ticks_; }

private:
  bool timed_ = false; ///< and under way
  bool is_timed_ = false;
  bool is_drawn_ = false;
  std::uint64_t cpu_ns_ = 0;
  std::uint64_t start_ticks_ = 0;
  std::uint64_t stop_ticks_ = 0;
};

using Stopwatch = BasicStopwatch<ProcessClocks>;

} // namespace thalweg::mpi::observe

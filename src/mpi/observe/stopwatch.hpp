#pragma once

// Takes the time of one call for its row; see call_table.hpp for which calls are timed.

#include <cstdint>

#include "mpi/observe/call_table.hpp"
#include "mpi/observe/ticks.hpp"

namespace thalweg::mpi::observe {

std::uint64_t thread_cpu_ns();

class Stopwatch {
public:
  void start(CallRow& row, bool always) {
    timed_ = always || row.is_to_be_timed();
    ++row.calls;
    if (timed_) {
      if (row.lengthy || (row.timed_calls & 63) == 0) {
        cpu_ns_ = thread_cpu_ns();
      }
      start_ticks_ = ticks();
      row.entered_ticks = start_ticks_;
    }
  }

  void stop(CallRow& row) {
    if (timed_) {
      stop_ticks_ = ticks();
      row.entered_ticks = 0;
      const std::uint64_t taken = stop_ticks_ - start_ticks_;
      ++row.timed_calls;
      row.timed_ticks += taken;
      if (taken > row.max_call_ticks) {
        row.max_call_ticks = taken;
      }
      if (cpu_ns_ != 0) {
        row.sampled_ticks += taken;
        row.sampled_cpu_ns += thread_cpu_ns() - cpu_ns_;
      }
      // Not by the slowest, which is often the first: connections and pages are made then.
      row.brief =
          row.timed_calls >= 16 && row.timed_ticks - row.max_call_ticks < row.timed_calls * brief_ticks();
      row.lengthy = row.timed_ticks > row.timed_calls * lengthy_ticks();
    }
  }

  std::uint64_t start_ticks() const { return start_ticks_; }
  std::uint64_t stop_ticks() const { return stop_ticks_; }

private:
  bool timed_ = false;
  std::uint64_t cpu_ns_ = 0;
  std::uint64_t start_ticks_ = 0;
  std::uint64_t stop_ticks_ = 0;
};

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which part of the time in a row's calls their threads were on a core. To read a thread's CPU clock is a
// system call of up to a microsecond, so it is read around some calls only. Each call is drawn with a
// probability that the calls before it decided, and it stands for as many as that says. So sums are unbiased,
// however calls differ.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/hash.hpp"

namespace thalweg::mpi::observe {

class CpuShare {
public:
  // Is the CPU clock to be read around the timed call of that number? The seed keeps rows and ranks apart.
  bool wants(std::uint64_t call, std::uint64_t seed) const {
    return (mixed_hash(mixed_hash(0, seed), call) & (weight_ - 1)) == 0;
  }

  // A call that was drawn took so long, and so much of the thread's CPU time.
  void add(std::uint64_t ticks, std::uint64_t cpu_ns) {
    ticks_ += weight_ * ticks;
    cpu_ns_ += weight_ * cpu_ns;
  }

  // After each timed call, which took so long: from now on calls are drawn about once in `period` ticks of
  // the row's. One call in `calls_per_timed` is timed.
  void set_rate(std::uint64_t ticks, std::uint64_t calls_per_timed, std::uint64_t period) {
    recent_ticks_ += ticks;
    ++recent_calls_;
    if (ticks < period && recent_calls_ % calls_of_rate != 0 && recent_calls_ != 1) [[likely]]
      return;
    const std::uint64_t between = recent_ticks_ / recent_calls_ * calls_per_timed;
    weight_ = std::bit_floor(std::clamp<std::uint64_t>(period / (between + 1), 1, max_weight));
    if (recent_calls_ >= recent_calls) { // calls may be others than they were
      recent_ticks_ /= 2;
      recent_calls_ /= 2;
    }
  }

  // What a thread in these calls has of a core, at most all of it; 0 where no call was drawn that took any
  // time.
  double share(double ns_per_tick) const {
    const double ns = static_cast<double>(ticks_) * ns_per_tick;
    return ns > 0 ? std::min(static_cast<double>(cpu_ns_) / ns, 1.0) : 0.0;
  }

private:
  static constexpr std::uint64_t max_weight = std::uint64_t{1} << 16U;
  static constexpr std::uint64_t calls_of_rate = 16; // after so many the rate is looked at
  static constexpr std::uint64_t recent_calls = 512;

  std::uint64_t weight_ = 1; // a power of two: one call in so many is drawn
  std::uint64_t ticks_ = 0;  // of the calls that those drawn stand for
  std::uint64_t cpu_ns_ = 0;
  std::uint64_t recent_ticks_ = 0;
  std::uint64_t recent_calls_ = 0;
};

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How long a search may go on: by a clock, or by a number of proposals, with which it is the same each time.

#include "base/assertion.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace thalweg::place {

enum class Clock : std::uint8_t {
  wall,
  cpu, ///< the calling thread's time, with which other load does not change what is found
};

class Budget {
public:
  /// `proposals` above 0 count instead of the seconds. Once another thread sets `stopped`, nothing is left.
  Budget(double seconds, std::int64_t proposals, Clock clock, const std::atomic<bool>* stopped = nullptr)
      : seconds_(seconds), proposals_(proposals), clock_(clock), begin_(now()), stopped_(stopped) {}

  void spend(std::int64_t proposals) {
    THALWEG_ASSERT(normal, proposals >= 0);
    spent_ += proposals;
  }
  /// How much is gone: 0 at the beginning, from 1 on the search ends.
  double used() const {
    if (stopped_ != nullptr && stopped_->load(std::memory_order_relaxed))
      return 1;
    if (proposals_ > 0)
      return static_cast<double>(spent_) / static_cast<double>(proposals_);
    return seconds_ > 0 ? elapsed() / seconds_ : 1;
  }
  bool is_over() const { return used() >= 1; }
  /// Seconds since the beginning.
  double elapsed() const { return now() - begin_; }

private:
  double now() const {
    timespec time{};
    clock_gettime(clock_ == Clock::cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double seconds_;
  std::int64_t proposals_;
  Clock clock_;
  std::int64_t spent_ = 0;
  double begin_;
  const std::atomic<bool>* stopped_;
};

} // namespace thalweg::place

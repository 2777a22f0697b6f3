// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How long a search may go on: by a clock, or by a number of proposals, with which it is the same each time.

#include <atomic>
#include <cstdint>

namespace thalweg::place {

enum class Clock : std::uint8_t {
  wall,
  cpu, ///< the calling thread's time, with which other load does not change what is found
};

class Budget {
public:
  /// `proposals` above 0 count instead of the seconds. Once another thread sets `stopped`, nothing is left.
  Budget(double seconds, std::int64_t proposals, Clock clock, const std::atomic<bool>* stopped = nullptr);

  void spend(std::int64_t proposals) { spent_ += proposals; }
  /// How much is gone: 0 at the beginning, from 1 on the search ends.
  double used() const;
  bool is_over() const { return used() >= 1; }
  /// Seconds since the beginning.
  double elapsed() const;

private:
  double now() const;

  double seconds_;
  std::int64_t proposals_;
  Clock clock_;
  std::int64_t spent_ = 0;
  double begin_;
  const std::atomic<bool>* stopped_;
};

} // namespace thalweg::place

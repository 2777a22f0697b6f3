// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the calls of a round have cost a rank, where they are nonblocking: each figure is there once the
// program has completed the call's request, in any order and on any thread, or never.

#include "tune/learning_budget.hpp"

#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace thalweg::tune {

/// From one start to the next, in the mean of a side's calls; 0: not known.
struct Periods {
  double incumbent = 0;
  double candidate = 0;
};

class RoundFigures {
public:
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  /// A round begins. Figures of earlier ones that still come count no more.
  void open(const Round& round);
  /// The next call of the round starts. Returns its number; beyond the round's calls nothing is kept.
  std::uint32_t start(double now_seconds);
  /// Of a round that open() began: which one it is.
  std::uint32_t generation() const;
  /// The program has completed a call of that round, which has held it up for so long.
  void ended(std::uint32_t generation, std::uint32_t call, double exposed_seconds);

  /// What ranks take the maxima of: a figure of each call, and the sides' periods.
  std::vector<double> to_maximize() const;

private:
  double period(std::uint32_t first, std::uint32_t calls) const;

  mutable std::mutex mutex_;
  std::uint32_t generation_ = 0;
  Round round_;
  std::vector<double> starts_;
  std::vector<double> exposed_;
};

/// What a round tells once ranks have agreed on the maxima.
struct RoundTimes {
  std::vector<double>
      seconds; ///< of each call; of those that some rank does not know, the mean of their side
  Periods periods;
};

/// Nothing where too few of the calls that count are known on all ranks.
std::optional<RoundTimes> times_of(const Round& round, std::span<const double> maxima);

} // namespace thalweg::tune

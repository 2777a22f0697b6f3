// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether it pays to balance now: what the slowest rank would gain, against the exchange that it takes.

#include "balance/report.hpp"
#include "evidence/evidence.hpp"
#include "machine/machine.hpp"

namespace thalweg::balancing {

/// From when on it pays; the same on all ranks.
struct Terms {
  double threshold = 0; ///< the slowest rank has to take over 1 + this times as long as the mean
  double steps = 1;     ///< how often loads are worked through until they are balanced again
  /// How many times what the exchange costs has to be gained.
  double hysteresis = evidence::Limits::hysteresis;
  double min_gain_seconds = 0;
};

struct Verdict {
  bool is_worth = true;
  double imbalance = 1;         ///< time of the slowest rank over that of even loads
  double gain_seconds = 0;      ///< of all steps; 0 where nobody knows how long a task takes
  double predicted_seconds = 0; ///< of the exchange, by the machine's figures
  double exchange_seconds = 0;  ///< the same times what exchanges took longer so far
};

/// The exchange is taken for one message between the rank that has most too much, or lacks most, and another.
Verdict verdict_of(const Summary& all, const Terms& terms, const machine::LevelCosts& messages);

} // namespace thalweg::balancing

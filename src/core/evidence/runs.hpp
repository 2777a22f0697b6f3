// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whole runs of a program, with what is in use and with a candidate that is predicted to be much faster. A
// run costs too much for pairs: each one is used, one at a time, and the faster side goes on.

#include "evidence/evidence.hpp"

#include <span>

namespace thalweg::evidence {

struct RunLimits {
  /// The least spread of logarithms between runs of one program: whole runs differ by as much on a machine
  /// that is left alone, and of two the spread may be small by chance.
  static constexpr double spread_min = 0.05;
  /// What is taken for the spread while there are not two runs of either side.
  static constexpr double spread_unknown = 0.12;
  /// Differences of mean logarithms, in their standard errors. It is asked after each run, so more than the
  /// two of a single test.
  static constexpr double errors_decisive = 3;
  /// So many runs of the faster side come before another one of the slower: one alone leaves it open for
  /// ever, as chance may have made it slow.
  static constexpr std::size_t faster_per_slower = 4;
  /// Runs after which a candidate that is not surely faster is given up.
  static constexpr std::size_t runs_max = 16;
};

/// A sequential test on logarithms of whole runs' seconds, asked after each run. Surely faster, or surely
/// not, where the means differ by three standard errors, and in the latter case also after 16 runs. A gain
/// has to be `Limits::gain`. Open while one side has no run.
Decision decide_runs(std::span<const double> incumbent, std::span<const double> candidate);

/// Which side the next run has, while that is open: the candidate at first, then the one with the smaller
/// mean; where the two are nearly even, the one with fewer runs. Each fifth run is one of the slower side.
bool candidate_is_next(std::span<const double> incumbent, std::span<const double> candidate);

} // namespace thalweg::evidence

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An interpreter of schedules for tests that shares nothing with the verifier or the engine: it plays all
// ranks with concrete data under a random timing and holds the outputs against the operation's definition.

#include "schedule/schedule.hpp"

#include <optional>
#include <random>
#include <string>

namespace thalweg::strategies {

struct Timing {
  std::uint64_t seed = 0;
  /// A send takes its data when it starts and finishes at once; else it takes them, and finishes, together
  /// with its receive.
  bool eager = false;
  /// This rank does not start before all others can do no more (-1: none): shows who leaves a barrier too
  /// early.
  Rank late = -1;
};

/// What goes wrong when the schedules run with that timing, or nothing. Operators are taken as string
/// concatenation, which does not commute; `problem.commutative` says whether the order of operands is judged.
/// All ranks of an all-reduce must combine in the same order in any case.
std::optional<std::string> what_goes_wrong(const schedule::Problem& problem,
                                           const std::vector<schedule::Schedule>& schedules,
                                           const Timing& timing);

} // namespace thalweg::strategies

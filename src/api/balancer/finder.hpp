// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The flow of a job's ranks that each know their own load alone. Few ranks gather what all have, and each
// finds the whole flow. Many find it as balance/line.hpp has it: prefix sums, then each rank works on a slice
// of the line and tells both ends of what it finds there. The flow is the same.

#include "balance/chooser.hpp"
#include "balance/line.hpp"
#include "balance/targets.hpp"
#include "control/control.hpp"
#include "thalweg/balance.h"

namespace thalweg::balancing {

/// How to balance; the same on all ranks.
struct Settings {
  Service service = Service::alias; ///< sweep where ranks differ in speed, or the spread is capped
  Spread spread = Spread::even;
  Terms terms;
};

/// A rank's part of the flow, first what it sends, each kind by the other end's rank. Where tasks are
/// weighted, it counts units of `unit` each.
struct OwnFlow {
  std::vector<thalweg_transfer> transfers;
  Verdict verdict;
  double unit = 1;
};

class Finder {
public:
  /// Up to `gathered_ranks` gather what all have. `messages` are for predictions. `control` outlives it; its
  /// order is that in which ranks serve each other.
  Finder(control::Control& control, const machine::LevelCosts& messages, std::int32_t gathered_ranks);

  /// Collective. Throws Error on all ranks where one gives what cannot be balanced.
  control::Task<OwnFlow> find(Report report, Settings settings) const;

private:
  OwnFlow among_all(const std::vector<Report>& reports, const Settings& settings) const;
  control::Task<OwnFlow> by_prefix_sums(Report report, Settings settings) const;
  /// The stretches that begin in this position's slice of a line of that length. This rank's own, of so much
  /// too much or too little (below 0), begins at `begin`.
  control::Task<Line> slice_of_line(Tasks excess, Tasks begin, Tasks length) const;

  Rank rank() const { return control_.order()[static_cast<std::size_t>(control_.position())]; }

  control::Control& control_;
  machine::LevelCosts messages_;
  bool gathers_;
};

} // namespace thalweg::balancing

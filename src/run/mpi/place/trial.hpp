// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Two numberings of the ranks, tried against each other: the recorded phases' messages are sent for a moment
// under both, in turns.

#include "job/mpi/agreement.hpp"
#include "mpi/place/proposal.hpp"
#include "pattern/matrix.hpp"
#include "place/mapping.hpp"

#include <vector>

namespace thalweg::mpi {

/// What is known before a trial, on the first rank; on others it counts nothing.
struct TrialTerms {
  const pattern::Pattern& pattern;
  const place::Slots& slot_of;
  const place::Slots& against; ///< the slots that ranks have otherwise; empty: as they were started
  double recorded_s = 0;       ///< that the run took in which the pattern was recorded
  double seconds = 0;          ///< that may be spent now
  std::vector<double> ratios;  ///< of earlier runs
};

/// Ends when all rounds together decide (evidence::decide_rounds), or after so many seconds. Where not even
/// one round fits into them, nothing is sent, and the time is left for a later run. Called by all; the same
/// on all.
TrialResult try_numbering(const job::Agreement& everybody, const TrialTerms& terms);

} // namespace thalweg::mpi

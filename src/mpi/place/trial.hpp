#pragma once

// Two numberings of the ranks, tried against each other: the recorded phases' messages are sent for a moment
// under both, in turns.

#include <string>
#include <vector>

#include "job/mpi/agreement.hpp"
#include "pattern/matrix.hpp"
#include "place/mapping.hpp"

namespace thalweg::mpi {

struct TrialResult {
  bool adopted = false;
  bool decided = false;  // more rounds would change nothing
  int rounds = 0;        // pairs that were measured
  int wins = 0;          // of them in which the new numbering was faster
  double identity_s = 0; // the phases' messages once, by the median round
  double placed_s = 0;
};

// `pattern` and `slot_of` count on the first rank alone. Adopted only where the new numbering was faster in
// all of six rounds, all but one of nine, two of twelve or three of fifteen, and by 3 % in the middle. Ends
// when that is so, at the fourth loss, or after so many seconds, which count on the first rank alone too.
// `before` has the rounds and wins of an earlier trial that did not end; it too counts on the first rank
// alone. Called by all; the same on all.
TrialResult try_numbering(const job::Agreement& everybody, const pattern::Pattern& pattern,
                          const place::Slots& slot_of, double seconds, TrialResult before = {});

} // namespace thalweg::mpi

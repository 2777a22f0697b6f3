// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The candidates for a call in the model's order, the same on all ranks of a communicator.

#include <vector>

#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"
#include "tune/candidates.hpp"
#include "tune/learner.hpp"

namespace thalweg::mpi {

// What the call's units are: of tune::Case.
struct UnitSize {
  std::int64_t bytes = 0;
  double degree = 0;
};

struct Ordering {
  std::vector<tune::PredictedCandidate> candidates;
  double seconds = 0; // that it took
};

// Rank 0 asks the model, of the machine that was probed or else of a default one, and tells the others.
Ordering agreed_ordering(Operation operation, const UnitSize& size, tune::Breadth breadth,
                         CommunicatorState& communicator);

} // namespace thalweg::mpi

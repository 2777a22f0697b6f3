// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Proof obligations: the problems over which a strategy must be verified, and what its descriptor promises.

#include "schedule/verifier.hpp"
#include "strategies/index.hpp"

namespace thalweg::strategies {

/// Which roots to prove: every rank, or the first, a middle and the last one.
enum class Roots { all, sample };

/// The problems of `ranks` ranks that the strategy does not refuse: roots, parameter values (each parameter's
/// proven_at values with the others standard, and all together at their first), pieces, shapes of nodes,
/// neighborhoods, and one order of the ranks that is not their own.
std::vector<Problem> obligations(const Strategy& strategy, std::int32_t ranks, Roots roots);

/// A line that names a problem: "allreduce ring, 7 ranks, segment=1 KiB, in place".
std::string describe(const Strategy& strategy, const Problem& problem);

/// Builds all ranks' schedules, verifies them, in place too where promised, and holds the verdict against the
/// descriptor. The faults found, each with the problem's description; empty: proven.
std::vector<std::string> prove(const Strategy& strategy, const Problem& problem);

} // namespace thalweg::strategies

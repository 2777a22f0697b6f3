// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which links other jobs use while this one starts: by bursts between its nodes.

#include "job/mpi/agreement.hpp"
#include "machine/allocation.hpp"

#include <vector>

namespace thalweg::mpi {

/// The part of each of the machine's links that is left; empty where none is seen to be busy, and where
/// nothing can be told: on machines that spread messages, of fewer than three or very many nodes, and without
/// time. Takes about so many seconds at most. Called by all; the same on all. `seconds` is the same on all
/// too.
std::vector<double> free_parts_of_links(const job::Agreement& everybody,
                                        const machine::Allocation& allocation, double seconds);

} // namespace thalweg::mpi

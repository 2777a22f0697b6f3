// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Orders in which a rank meets all others, as permutations step by step: in step i the ranks' sends are one
// permutation.

#include "strategies/pacing.hpp"

namespace thalweg::strategies {

/// Step k: send to rank+k, receive from rank-k.
std::vector<Exchange> cyclic_order(Rank rank, std::int32_t ranks);

/// Step j: exchange with rank XOR j. Where the ranks are no power of two there are as many steps as for the
/// next one, and a rank rests in the steps whose partner does not exist.
std::vector<Exchange> prefix_order(Rank rank, std::int32_t ranks);

/// The nearest on a ring first, both ways in turn: to rank+1, rank-1, rank+2, rank-2, ..
std::vector<Exchange> ring_order(Rank rank, std::int32_t ranks);

} // namespace thalweg::strategies

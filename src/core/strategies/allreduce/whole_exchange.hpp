// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/strategy.hpp"

namespace thalweg::strategies::allreduce {

/// Who exchanges whole vectors with whom: for each round the ranks of the group, in the order of their
/// operands, the builder's rank among them.
using ExchangeRounds = std::vector<std::vector<Rank>>;

/// All-reduce by exchanging whole vectors in rounds, each of the vector's pieces as a pipeline of its own.
/// Before, `members` (this rank's followers, ascending) hand their vectors over, and get the result
/// afterwards; a rank with a `speaker` is a follower and takes part in no round. All ranks compute the same
/// expression: a group's operands from left to right. Two ranks need one exchange and one combine, and no
/// copy.
void append_whole_exchange(Builder& builder, const ExchangeRounds& rounds, const std::vector<Rank>& members,
                           Rank speaker);

} // namespace thalweg::strategies::allreduce

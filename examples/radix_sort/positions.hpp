// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/mpi_session.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::examples::radix_sort {

/// Number of digit counts to allocate, so that every rank looks after equally many digits.
std::int64_t padded_digit_count(int ranks);

/// Collective. From how often each digit occurs on this rank, the global position of this rank's first key
/// with each digit, if all keys are ordered by (digit, rank, local order).
///
/// Every rank looks after a slice of the digits: it gets their counts of all ranks (all-to-all), sums them up
/// over the ranks below, adds where its slice begins (exclusive scan), and gives each rank its positions
/// (all-to-all back). That moves two histograms a rank in all, where an all-reduce would move one in each of
/// log2 P rounds.
std::vector<std::int64_t> first_positions(std::vector<std::int64_t> const& counts, Group const& world);

} // namespace thalweg::examples::radix_sort

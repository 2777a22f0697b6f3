// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "radix_sort/keys.hpp"

#include <vector>

namespace thalweg::examples::radix_sort {

/// Seconds this rank spent in a sort and in the exchange of its keys.
struct SortTime {
  double total_s = 0;
  double exchange_s = 0;
};

/// Collective. Sorts the keys of all ranks by `passes` digits of 16 bits, least significant first; every rank
/// has and keeps equally many keys, rank 0 the smallest.
///
/// A pass counts, finds the position that each run of equal digits has among all keys, sends every key to the
/// rank that holds its position, and arranges what came: keys arrive by rank and, within a rank, in order, so
/// one stable counting sort puts them right (Kumar 2005, section 7: the many-to-many of unequal sizes is its
/// main cost).
SortTime sort_keys(std::vector<Key>& keys, int passes, Group const& world);

} // namespace thalweg::examples::radix_sort

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "radix_sort/keys.hpp"

#include <vector>

namespace thalweg::examples::radix_sort {

/// Collective; the same on all ranks. Whether keys rise within ranks and from each rank to the next.
bool is_sorted_globally(std::vector<Key> const& keys, Group const& world);

/// Collective. A hash of the sorted sequence that depends on every key and on its position, but not on how
/// the sequence is spread over ranks.
std::uint64_t sequence_hash(std::vector<Key> const& keys, Group const& world);

} // namespace thalweg::examples::radix_sort

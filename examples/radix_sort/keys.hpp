// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/mpi_session.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::examples::radix_sort {

using Key = std::uint64_t;

/// The `count` keys of this rank: random words of `bits` bits, a function of the seed and of the key's global
/// index alone, so that the same total number of keys is the same problem on any number of ranks.
std::vector<Key> generate_keys(std::uint64_t seed, std::int64_t first_index, std::int64_t count, int bits);

/// What sorting must not change: sum and exclusive or of the mixed keys, over all ranks (collective).
struct Multiset {
  std::uint64_t sum = 0;
  std::uint64_t exclusive_or = 0;
  bool operator==(Multiset const&) const = default;
};
Multiset multiset_of(std::vector<Key> const& keys, Group const& world);

} // namespace thalweg::examples::radix_sort

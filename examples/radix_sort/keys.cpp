// SPDX-License-Identifier: BSD-3-Clause
#include "radix_sort/keys.hpp"

#include "common/random.hpp"

namespace thalweg::examples::radix_sort {

std::vector<Key> generate_keys(std::uint64_t seed, std::int64_t first_index, std::int64_t count, int bits) {
  std::vector<Key> keys(static_cast<std::size_t>(count));
  auto index = static_cast<std::uint64_t>(first_index);
  for (Key& key : keys) {
    key = random_word(seed, index++) >> (64 - bits);
  }
  return keys;
}

Multiset multiset_of(std::vector<Key> const& keys, Group const& world) {
  Multiset mine;
  for (Key const key : keys) {
    mine.sum += mix(key);
    mine.exclusive_or ^= mix(key);
  }
  Multiset all;
  MPI_Allreduce(&mine.sum, &all.sum, 1, MPI_UINT64_T, MPI_SUM, world.communicator);
  MPI_Allreduce(&mine.exclusive_or, &all.exclusive_or, 1, MPI_UINT64_T, MPI_BXOR, world.communicator);
  return all;
}

} // namespace thalweg::examples::radix_sort

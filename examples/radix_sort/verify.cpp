// SPDX-License-Identifier: BSD-3-Clause
#include "radix_sort/verify.hpp"

#include "common/random.hpp"

#include <algorithm>

namespace thalweg::examples::radix_sort {

bool is_sorted_globally(std::vector<Key> const& keys, Group const& world) {
  Key const last = keys.empty() ? 0 : keys.back();
  Key largest_before = 0;
  MPI_Exscan(&last, &largest_before, 1, MPI_UINT64_T, MPI_MAX, world.communicator);
  bool const border_holds = world.rank == 0 || keys.empty() || largest_before <= keys.front();
  int const mine = border_holds && std::is_sorted(keys.begin(), keys.end()) ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, world.communicator);
  return all != 0;
}

std::uint64_t sequence_hash(std::vector<Key> const& keys, Group const& world) {
  std::uint64_t const own = keys.size();
  std::uint64_t position = 0;
  MPI_Exscan(&own, &position, 1, MPI_UINT64_T, MPI_SUM, world.communicator);
  std::uint64_t mine = 0;
  for (Key const key : keys) {
    mine += mix(key + mix(++position));
  }
  std::uint64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, world.communicator);
  return all;
}

} // namespace thalweg::examples::radix_sort

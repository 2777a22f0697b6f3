// SPDX-License-Identifier: BSD-3-Clause
#include "radix_sort/sort.hpp"

#include "radix_sort/digits.hpp"
#include "radix_sort/positions.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::examples::radix_sort {
namespace {

/// Keys to each rank, when runs of `counts` keys begin at `positions` and every rank holds `keys_per_rank`
/// positions. A run may cross from one rank to the next ones.
std::vector<int> keys_by_destination(std::vector<std::int64_t> const& counts,
                                     std::vector<std::int64_t> const& positions, std::int64_t keys_per_rank,
                                     int ranks) {
  std::vector<int> keys_to(static_cast<std::size_t>(ranks), 0);
  for (std::size_t digit = 0; digit < counts.size(); ++digit) {
    std::int64_t begin = positions[digit];
    std::int64_t const end = begin + counts[digit];
    while (begin < end) {
      std::int64_t const rank = begin / keys_per_rank;
      std::int64_t const stop = std::min(end, (rank + 1) * keys_per_rank);
      keys_to[static_cast<std::size_t>(rank)] += static_cast<int>(stop - begin);
      begin = stop;
    }
  }
  return keys_to;
}

std::vector<int> offsets_of(std::vector<int> const& sizes) {
  std::vector<int> offsets(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
  return offsets;
}

/// Sends `outgoing`, ordered by destination, and returns what came in, ordered by source.
void exchange(std::vector<Key> const& outgoing, std::vector<int> const& keys_to, std::vector<Key>& incoming,
              Group const& world) {
  std::vector<int> keys_from(keys_to.size());
  MPI_Alltoall(keys_to.data(), 1, MPI_INT, keys_from.data(), 1, MPI_INT, world.communicator);
  std::vector<int> const offsets_to = offsets_of(keys_to);
  std::vector<int> const offsets_from = offsets_of(keys_from);
  MPI_Alltoallv(outgoing.data(), keys_to.data(), offsets_to.data(), MPI_UINT64_T, incoming.data(),
                keys_from.data(), offsets_from.data(), MPI_UINT64_T, world.communicator);
}

} // namespace

SortTime sort_keys(std::vector<Key>& keys, int passes, Group const& world) {
  double const begin_s = MPI_Wtime();
  double exchange_s = 0;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(padded_digit_count(world.ranks)));
  std::vector<Key> arranged(keys.size());
  for (int pass = 0; pass < passes; ++pass) {
    count_digits(keys, pass, counts);
    std::vector<std::int64_t> const positions = first_positions(counts, world);
    // Positions grow with the digit, so keys arranged by digit are arranged by destination too.
    arrange_by_digit(keys, pass, counts, arranged);
    std::vector<int> const keys_to =
        keys_by_destination(counts, positions, static_cast<std::int64_t>(keys.size()), world.ranks);
    double const exchange_begin_s = MPI_Wtime();
    exchange(arranged, keys_to, keys, world);
    exchange_s += MPI_Wtime() - exchange_begin_s;
    count_digits(keys, pass, counts);
    arrange_by_digit(keys, pass, counts, arranged);
    std::swap(keys, arranged);
  }
  return {MPI_Wtime() - begin_s, exchange_s};
}

} // namespace thalweg::examples::radix_sort

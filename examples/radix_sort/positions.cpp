// SPDX-License-Identifier: BSD-3-Clause
#include "radix_sort/positions.hpp"

#include "radix_sort/digits.hpp"

#include <numeric>
#include <utility>

namespace thalweg::examples::radix_sort {

std::int64_t padded_digit_count(int ranks) {
  return (digit_values + ranks - 1) / ranks * ranks;
}

std::vector<std::int64_t> first_positions(std::vector<std::int64_t> const& counts, Group const& world) {
  std::size_t const ranks = static_cast<std::size_t>(world.ranks);
  std::size_t const slice = counts.size() / ranks;
  std::vector<std::int64_t> mine(counts.size()); // [rank][digit of my slice]: counts, then positions
  MPI_Alltoall(counts.data(), static_cast<int>(slice), MPI_INT64_T, mine.data(), static_cast<int>(slice),
               MPI_INT64_T, world.communicator);

  std::int64_t const total = std::accumulate(mine.begin(), mine.end(), std::int64_t{0});
  std::int64_t position = 0;
  MPI_Exscan(&total, &position, 1, MPI_INT64_T, MPI_SUM, world.communicator);
  if (world.rank == 0) {
    position = 0; // MPI leaves rank 0's result of an exclusive scan undefined
  }
  for (std::size_t digit = 0; digit < slice; ++digit) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      position += std::exchange(mine[rank * slice + digit], position);
    }
  }

  std::vector<std::int64_t> positions(counts.size());
  MPI_Alltoall(mine.data(), static_cast<int>(slice), MPI_INT64_T, positions.data(), static_cast<int>(slice),
               MPI_INT64_T, world.communicator);
  return positions;
}

} // namespace thalweg::examples::radix_sort

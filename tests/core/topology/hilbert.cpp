// SPDX-License-Identifier: BSD-3-Clause
#include "topology/hilbert.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace thalweg::topology {
namespace {

std::vector<Place> all_places(const Grid& grid) {
  std::vector<Place> places(static_cast<std::size_t>(grid.places()));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

/// The sum of hops from each place of the order to the one `apart` behind it, for each pair.
double mean_hops(const Grid& grid, const std::vector<std::int32_t>& order, std::size_t apart) {
  std::int64_t total = 0;
  for (std::size_t i = apart; i < order.size(); ++i)
    total += grid.hops(order[i - apart], order[i]);
  return static_cast<double>(total) / static_cast<double>(order.size() - apart);
}

class EveryBox : public testing::TestWithParam<std::vector<std::int32_t>> {};

TEST_P(EveryBox, IsVisitedOnce) {
  const Grid grid(GetParam(), false);
  std::vector<std::int32_t> order = hilbert_order(grid, all_places(grid));
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i)
    EXPECT_EQ(order[i], static_cast<std::int32_t>(i));
}

TEST_P(EveryBox, IsCrossedWithoutJumpsWhereItsSidesArePowersOfTwo) {
  const Grid grid(GetParam(), false);
  const std::vector<std::int32_t> order = hilbert_order(grid, all_places(grid));
  if (order.size() < 2)
    return;
  const bool powers =
      std::ranges::all_of(GetParam(), [](std::int32_t side) { return (side & (side - 1)) == 0; });
  const double mean = mean_hops(grid, order, 1);
  if (powers)
    EXPECT_EQ(mean, 1.0);
  else
    EXPECT_LE(mean, 1.6);
}

INSTANTIATE_TEST_SUITE_P(Boxes, EveryBox,
                         testing::Values(std::vector{1}, std::vector{7}, std::vector{64},
                                         std::vector{1, 1, 1}, std::vector{2, 2}, std::vector{16, 16},
                                         std::vector{64, 2}, std::vector{2, 64}, std::vector{1, 32, 4},
                                         std::vector{3, 5}, std::vector{25, 13}, std::vector{8, 8, 8},
                                         std::vector{16, 2, 4}, std::vector{128, 2, 2},
                                         std::vector{25, 32, 24}, std::vector{3, 3, 3},
                                         std::vector{100, 3, 2}, std::vector{4, 4, 4, 4},
                                         std::vector{8, 2, 4, 2}, std::vector{6, 5, 6, 2, 3, 2},
                                         std::vector{2, 2, 2, 2, 2, 2, 2, 2}, std::vector{5, 4, 3, 2, 1}));

} // namespace
} // namespace thalweg::topology

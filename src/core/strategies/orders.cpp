// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/orders.hpp"

#include "base/arithmetic.hpp"

#include <bit>

namespace thalweg::strategies {

namespace {

Exchange shift(Rank rank, std::int32_t ranks, std::int32_t by) {
  return {static_cast<Rank>(modulo(rank + by, ranks)), static_cast<Rank>(modulo(rank - by, ranks))};
}

} // namespace

std::vector<Exchange> cyclic_order(Rank rank, std::int32_t ranks) {
  std::vector<Exchange> order;
  for (std::int32_t k = 1; k < ranks; ++k)
    order.push_back(shift(rank, ranks, k));
  return order;
}

std::vector<Exchange> prefix_order(Rank rank, std::int32_t ranks) {
  const auto steps = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(ranks)));
  std::vector<Exchange> order;
  for (std::int32_t j = 1; j < steps; ++j) {
    const Rank partner = rank ^ j;
    order.push_back(partner < ranks ? Exchange{partner, partner} : Exchange{});
  }
  return order;
}

std::vector<Exchange> ring_order(Rank rank, std::int32_t ranks) {
  std::vector<Exchange> order;
  for (std::int32_t distance = 1; 2 * distance <= ranks; ++distance) {
    order.push_back(shift(rank, ranks, distance));
    if (2 * distance < ranks)
      order.push_back(shift(rank, ranks, -distance));
  }
  return order;
}

} // namespace thalweg::strategies

// SPDX-License-Identifier: BSD-3-Clause
#include "balance/near_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace thalweg::balancing {

std::vector<Rank> near_order(std::span<const std::int32_t> nodes, std::span<const std::int32_t> sockets) {
  std::vector<Rank> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](Rank rank) {
    const auto index = static_cast<std::size_t>(rank);
    return std::pair(nodes[index], sockets.empty() ? 0 : sockets[index]);
  });
  return order;
}

bool is_order(std::span<const Rank> order) {
  std::vector<bool> seen(order.size());
  for (const Rank rank : order) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= order.size() || seen[static_cast<std::size_t>(rank)])
      return false;
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return true;
}

} // namespace thalweg::balancing

// SPDX-License-Identifier: BSD-3-Clause
#include "balance/diffusion.hpp"

#include <algorithm>

namespace thalweg::balancing {

Flow diffusion(std::span<const Tasks> loads, std::span<const Tasks> targets, std::span<const Rank> order) {
  const auto excess = [&](Rank rank) {
    return loads[static_cast<std::size_t>(rank)] - targets[static_cast<std::size_t>(rank)];
  };
  std::vector<Tasks> left(loads.begin(), loads.end());
  Flow flow;
  for (std::size_t position = 1; position < order.size(); ++position) {
    Rank from = order[position - 1];
    Rank to = order[position];
    if (excess(from) < excess(to))
      std::swap(from, to);
    Tasks& own = left[static_cast<std::size_t>(from)];
    const Tasks given = std::min((excess(from) - excess(to) + 1) / 3, own);
    own -= given;
    if (given > 0)
      flow.push_back({from, to, given});
  }
  return flow;
}

} // namespace thalweg::balancing

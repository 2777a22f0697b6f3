// SPDX-License-Identifier: BSD-3-Clause
#include "balance/nested.hpp"

#include <algorithm>

namespace thalweg::balancing {

namespace {

/// A rank that still has too much, or below 0 lacks something.
struct Open {
  Rank rank = 0;
  Tasks excess = 0;
};

} // namespace

Flow nested(Service service, std::span<const Tasks> loads, std::span<const Tasks> targets,
            std::span<const Rank> order) {
  Flow flow;
  flow.reserve(order.size());
  std::vector<Open> open; // all have too much, or all lack something
  for (const Rank rank : order) {
    Open left{rank, loads[static_cast<std::size_t>(rank)] - targets[static_cast<std::size_t>(rank)]};
    while (left.excess != 0 && !open.empty() && (open.back().excess < 0) != (left.excess < 0)) {
      Open other = open.back();
      open.pop_back();
      Open& giver = left.excess > 0 ? left : other;
      Open& taker = left.excess > 0 ? other : left;
      const Tasks given = service == Service::alias ? -taker.excess : std::min(giver.excess, -taker.excess);
      flow.push_back({giver.rank, taker.rank, given});
      giver.excess -= given;
      taker.excess += given;
      left = giver.excess != 0 ? giver : taker; // one of the two is done
    }
    if (left.excess != 0)
      open.push_back(left);
  }
  return flow;
}

} // namespace thalweg::balancing

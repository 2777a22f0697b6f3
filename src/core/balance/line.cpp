// SPDX-License-Identifier: BSD-3-Clause
#include "balance/line.hpp"

#include <algorithm>
#include <limits>

namespace thalweg::balancing {

Line line_of(std::span<const Tasks> loads, std::span<const Tasks> targets, std::span<const Rank> order) {
  Line line;
  line.surpluses.reserve(order.size());
  line.deficits.reserve(order.size());
  Tasks surplus = 0;
  Tasks deficit = 0;
  for (const Rank rank : order) {
    const Tasks excess = loads[static_cast<std::size_t>(rank)] - targets[static_cast<std::size_t>(rank)];
    if (excess > 0) {
      line.surpluses.push_back({rank, surplus, excess});
      surplus += excess;
    } else if (excess < 0) {
      line.deficits.push_back({rank, deficit, -excess});
      deficit -= excess;
    }
  }
  return line;
}

Flow served(Service service, const Slice& slice) {
  constexpr Tasks nowhere = std::numeric_limits<Tasks>::max();
  Flow flow;
  flow.reserve(slice.surpluses.size() + slice.deficits.size());
  Stretch giver = slice.surplus_before;
  Stretch taker = slice.deficit_before;
  auto next_giver = slice.surpluses.begin();
  auto next_taker = slice.deficits.begin();
  while (next_giver != slice.surpluses.end() || next_taker != slice.deficits.end()) {
    const Tasks giver_begin = next_giver != slice.surpluses.end() ? next_giver->begin : nowhere;
    const Tasks taker_begin = next_taker != slice.deficits.end() ? next_taker->begin : nowhere;
    const Stretch former_giver = giver;
    if (giver_begin <= taker_begin)
      giver = *next_giver++;
    if (taker_begin <= giver_begin)
      taker = *next_taker++;
    if (service == Service::sweep)
      flow.push_back(
          {giver.rank, taker.rank, std::min(giver.end(), taker.end()) - std::max(giver.begin, taker.begin)});
    else if (taker_begin <= giver_begin)
      flow.push_back({giver.rank, taker.rank, taker.size});
    else
      flow.push_back({giver.rank, former_giver.rank, taker.end() - giver.begin});
  }
  return flow;
}

bool is_ready(std::span<const Tasks> loads, const Flow& flow) {
  std::vector<Tasks> left(loads.begin(), loads.end());
  for (const Transfer& transfer : flow)
    left[static_cast<std::size_t>(transfer.from)] -= transfer.tasks;
  return std::ranges::all_of(left, [](Tasks tasks) { return tasks >= 0; });
}

} // namespace thalweg::balancing

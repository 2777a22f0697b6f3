// SPDX-License-Identifier: BSD-3-Clause
#include "balance/line.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <limits>
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
  THALWEG_ASSERT(light, surplus == deficit);
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
    THALWEG_ASSERT(normal, giver.size > 0 && taker.size > 0);
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

namespace {

/// A rank that still has too much, or below 0 lacks something.
struct Remainder {
  Rank rank = 0;
  Tasks excess = 0;
};

} // namespace

Flow nested(Service service, std::span<const Tasks> loads, std::span<const Tasks> targets,
            std::span<const Rank> order) {
  Flow flow;
  flow.reserve(order.size());
  std::vector<Remainder> open; // all have too much, or all lack something
  for (const Rank rank : order) {
    Remainder left{rank, loads[static_cast<std::size_t>(rank)] - targets[static_cast<std::size_t>(rank)]};
    while (left.excess != 0 && !open.empty() && (open.back().excess < 0) != (left.excess < 0)) {
      Remainder other = open.back();
      open.pop_back();
      Remainder& giver = left.excess > 0 ? left : other;
      Remainder& taker = left.excess > 0 ? other : left;
      const Tasks given = service == Service::alias ? -taker.excess : std::min(giver.excess, -taker.excess);
      flow.push_back({giver.rank, taker.rank, given});
      giver.excess -= given;
      taker.excess += given;
      left = giver.excess != 0 ? giver : taker; // one of the two is done
    }
    if (left.excess != 0)
      open.push_back(left);
  }
  THALWEG_ASSERT(light, open.empty());
  return flow;
}

} // namespace thalweg::balancing

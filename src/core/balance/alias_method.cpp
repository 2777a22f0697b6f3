// SPDX-License-Identifier: BSD-3-Clause
#include "balance/alias_method.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"

#include <numeric>
#include <utility>

namespace thalweg::balancing {

namespace {

/// A rank that is off its target.
struct Bin {
  Rank rank = 0;
  Tasks excess = 0;
};

/// Bins that lack tasks, then bins that have too many, both in order.
struct Bins {
  std::vector<Bin> all;
  std::size_t first_surplus = 0;
};

template <typename Excess>
Bins partition(std::span<const Rank> order, Excess&& excess_of) {
  Bins bins;
  std::vector<Bin> surpluses;
  bins.all.reserve(order.size());
  surpluses.reserve(order.size());
  for (const Rank rank : order) {
    const Tasks excess = excess_of(static_cast<std::size_t>(rank));
    if (excess != 0)
      (excess < 0 ? bins.all : surpluses).push_back({rank, excess});
  }
  bins.first_surplus = bins.all.size();
  bins.all.insert(bins.all.end(), surpluses.begin(), surpluses.end());
  return bins;
}

/// Serves all bins, in order. A giver gives until its excess falls below `stop`.
Flow served_in_turn(Bins bins, Tasks stop) {
  Flow flow;
  flow.reserve(bins.all.size());
  std::size_t giver = bins.first_surplus;
  for (std::size_t taker = 0; taker < giver && giver < bins.all.size(); ++taker) {
    const Tasks lacked = -bins.all[taker].excess;
    if (lacked == 0)
      continue;
    flow.push_back({bins.all[giver].rank, bins.all[taker].rank, lacked});
    bins.all[giver].excess -= lacked;
    if (bins.all[giver].excess < stop)
      ++giver;
  }
  return flow;
}

} // namespace

Flow alias_as_printed(std::span<const Tasks> loads, std::span<const Rank> order) {
  THALWEG_ASSERT(light, order.size() == loads.size());
  const auto ranks = static_cast<Tasks>(loads.size());
  const Tasks tasks = std::reduce(loads.begin(), loads.end(), Tasks{0});
  const Tasks share = ranks == 0 ? 0 : ceil_divide(tasks, ranks);
  std::vector<Tasks> phantoms(loads.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(share * ranks - tasks); ++i)
    phantoms[static_cast<std::size_t>(order[i])] = 1;
  Flow flow = served_in_turn(
      partition(order, [&](std::size_t rank) { return loads[rank] + phantoms[rank] - share; }), 0);
  for (Transfer& transfer : flow)
    transfer.tasks -= std::exchange(phantoms[static_cast<std::size_t>(transfer.from)], 0);
  std::erase_if(flow, [](const Transfer& transfer) { return transfer.tasks == 0; });
  return flow;
}

Flow alias_queued(std::span<const Tasks> loads, std::span<const Tasks> targets, std::span<const Rank> order) {
  THALWEG_ASSERT(light, targets.size() == loads.size() && order.size() == loads.size());
  return served_in_turn(partition(order, [&](std::size_t rank) { return loads[rank] - targets[rank]; }), 1);
}

} // namespace thalweg::balancing

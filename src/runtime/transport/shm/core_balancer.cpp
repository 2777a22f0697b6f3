// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/core_balancer.hpp"

#include <algorithm>

namespace thalweg::transport {

std::optional<int> emptier_core(std::span<const ObservedRank> ranks, Rank rank, const cpu_set_t& allowed) {
  const auto ranks_on = [ranks](int core) { return std::ranges::count(ranks, core, &ObservedRank::core); };
  const auto is_open = [&](int core) {
    return ranks_on(core) > 0 && std::ranges::all_of(ranks, [core](const ObservedRank& one) {
             return one.core != core || one.yields_often;
           });
  };
  const int own = ranks[static_cast<std::size_t>(rank)].core;
  std::optional<int> best;
  for (const ObservedRank& one : ranks)
    if (one.core >= 0 && one.core < CPU_SETSIZE && one.core != own && CPU_ISSET(one.core, &allowed) &&
        is_open(one.core) && (!best || ranks_on(one.core) < ranks_on(*best)))
      best = one.core;
  if (own < 0 || !best)
    return std::nullopt;
  const auto later_here =
      std::ranges::count(ranks.subspan(static_cast<std::size_t>(rank) + 1), own, &ObservedRank::core);
  return later_here < (ranks_on(own) - ranks_on(*best)) / 2 ? best : std::nullopt;
}

} // namespace thalweg::transport

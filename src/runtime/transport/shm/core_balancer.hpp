// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where the ranks of a node are that has more ranks than cores, so that each core has its share of them.
//
// The kernel takes many milliseconds until ranks that have slept are spread evenly again, and collectives go
// at the pace of the core that has the most of them: of 8 ranks on 2 cores, a barrier takes 6.2 us with 4 on
// each, 7.4 with 5 on one, and 9.4 with 6. So each rank says where it is when it gives its core away, and now
// and then those that are too many on theirs go to one that has fewer: where all ranks of ours take short
// turns, so that nobody else computes there.

#include "base/rank.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <sched.h>
#include <span>
#include <vector>

namespace thalweg::transport {

/// What a rank lets the others of its node know, in a line of its own.
struct alignas(64) CoreSlot {
  std::atomic<std::int32_t> core_and_one; ///< that it was on lately, plus 1; 0: not known
  std::atomic<std::uint32_t> pauses;      ///< how often it has given its core away
};

/// Of a rank.
struct ObservedRank {
  int core = -1;             ///< -1: it needs none
  bool yields_often = false; ///< it has had its core several times lately
};

/// Where `rank` should go, if its core has at least two ranks more than another one of `allowed` that has
/// some, all of which yield often. The last ones on a core go, as many as make both even.
inline std::optional<int> emptier_core(std::span<const ObservedRank> ranks, Rank rank,
                                       const cpu_set_t& allowed) {
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

class CoreBalancer {
public:
  /// `all`: the ranks' of the node, in memory of zeros that they share.
  CoreBalancer(CoreSlot* all, Rank rank, std::int32_t ranks)
      : all_(all), rank_(rank), seen_(static_cast<std::size_t>(ranks)),
        pauses_seen_(static_cast<std::size_t>(ranks)) {}

  /// To be called before the core is given away. `sleeps(rank)`: does it need none?
  template <typename System, typename Sleeps>
  void give_away(System& system, Sleeps sleeps) {
    CoreSlot& own = all_[rank_];
    const int core = system.core();
    if (own.core_and_one.load(std::memory_order_relaxed) != core + 1)
      own.core_and_one.store(core + 1, std::memory_order_relaxed);
    own.pauses.store(++pauses_, std::memory_order_relaxed);
    if (pauses_ % pauses_per_look == 0 && !stays_) [[unlikely]]
      balance(system, sleeps);
  }

private:
  /// Some tenths of a millisecond where collectives are short. What is uneven for two looks will stay so.
  static constexpr std::uint32_t pauses_per_look = 64;
  static constexpr std::uint32_t frequent_pauses = 16;

  template <typename System, typename Sleeps>
  void balance(System& system, Sleeps sleeps) {
    for (std::size_t rank = 0; rank < seen_.size(); ++rank) {
      const std::uint32_t pauses = all_[rank].pauses.load(std::memory_order_relaxed);
      const int core = all_[rank].core_and_one.load(std::memory_order_relaxed) - 1;
      seen_[rank] = {sleeps(static_cast<Rank>(rank)) ? -1 : core,
                     pauses - pauses_seen_[rank] >= frequent_pauses};
      pauses_seen_[rank] = pauses;
    }
    const std::optional<cpu_set_t> allowed = system.allowed_cores();
    const std::optional<int> better = allowed ? emptier_core(seen_, rank_, *allowed) : std::nullopt;
    if (better && was_uneven_)
      stays_ = !system.move_to(*better, *allowed);
    was_uneven_ = better.has_value();
  }

  CoreSlot* all_;
  Rank rank_;
  std::vector<ObservedRank> seen_;
  std::vector<std::uint32_t> pauses_seen_;
  std::uint32_t pauses_ = 0;
  bool was_uneven_ = false;
  bool stays_ = false; ///< it may not move
};

} // namespace thalweg::transport

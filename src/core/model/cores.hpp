// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The cores of one machine, and the ranks that wait for one.

#include "base/rank.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

namespace thalweg::model {

/// Hands a machine's cores to ranks, first come, first served. With a core for each rank nobody ever waits.
class Cores {
public:
  Cores(std::int32_t cores, std::int32_t ranks, double switch_seconds)
      : is_oversubscribed_(ranks > cores), switch_seconds_(switch_seconds) {
    for (std::int32_t core = 0; is_oversubscribed_ && core < cores; ++core)
      idle_.push_back(-1);
  }

  /// The delay after which the rank runs, or nothing if it must wait until a core is released.
  std::optional<double> request(Rank rank) {
    if (!is_oversubscribed_)
      return 0;
    if (idle_.empty()) {
      waiting_.push_back(rank);
      return std::nullopt;
    }
    return take(rank);
  }

  struct Grant {
    Rank rank;
    double delay;
  };
  /// The rank gives its core away; who gets it now, if anybody waits.
  std::optional<Grant> release(Rank rank) {
    if (!is_oversubscribed_)
      return std::nullopt;
    idle_.push_back(rank);
    if (waiting_.empty())
      return std::nullopt;
    const Rank next = waiting_.front();
    waiting_.pop_front();
    return Grant{next, take(next)};
  }

private:
  double take(Rank rank) {
    const auto own = std::find(idle_.begin(), idle_.end(), rank);
    const bool stays = own != idle_.end();
    idle_.erase(stays ? own : idle_.begin());
    return stays ? 0 : switch_seconds_;
  }

  bool is_oversubscribed_;
  double switch_seconds_;
  std::vector<Rank> idle_; // who ran last on each idle core
  std::deque<Rank> waiting_;
};

} // namespace thalweg::model

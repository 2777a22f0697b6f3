// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the ranks of a job tell each other before they balance, put together in their order.

#include "balance/flow.hpp"

#include <cstdint>

namespace thalweg::balancing {

/// What a rank gives that no rank may give.
enum class Fault : std::uint8_t { none, tasks, weight, speed, cost, option };

/// What a rank tells.
struct Report {
  Tasks tasks = 0;
  double weight = 0; ///< of its tasks together, where they are weighted
  double speed = 1;
  double bytes = 0;        ///< what its tasks take in messages
  double load_seconds = 0; ///< how long a task, or a unit of weight, takes a rank of mean speed; 0: unknown
  double cost_factor = 0;  ///< how many times as long as predicted its exchanges take; 0: unknown
  std::uint64_t settings = 0; ///< a digest of what all ranks have to give alike
  bool is_weighted = false;
  Fault fault = Fault::none;

  double load() const { return is_weighted ? weight : static_cast<double>(tasks); }
};

/// A rank's load and speed.
struct Place {
  double load = 0;
  double speed = 1;

  double seconds() const { return load / speed; } ///< in some unit
};

/// What some ranks have told, one after the other.
struct Summary {
  std::int32_t ranks = 0;
  Tasks tasks = 0; ///< -1: over tasks_max
  double load = 0;
  double bytes = 0;
  double speed = 0;
  double speed_min = 0;
  double speed_max = 0;
  double load_seconds = 0; ///< the longest
  double cost_factor = 0;  ///< the largest
  Place slowest;           ///< with its load
  Place fastest;
  std::uint64_t settings = 0;
  Fault fault = Fault::none; ///< the first one's
  Rank culprit = -1;

  bool are_alike() const { return speed_min == speed_max; }
};

Summary summary_of(const Report& report, Rank rank);
/// Associative but for the rounding of sums. A summary of no ranks leaves the other as it is.
Summary combined(const Summary& first, const Summary& second);

/// Throws Error, which names the rank, for what cannot be balanced.
void must_be_right(const Summary& all);

} // namespace thalweg::balancing

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What moves from whom to whom, and what that costs in the six figures of Sudheer Kumar 2012, table 5.1.

#include "base/assertion.hpp"
#include "base/rank.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace thalweg::balancing {

/// A number of tasks; or of units of work, where tasks are weighted.
using Tasks = std::int64_t;

/// All ranks together may hold so many, so that no sum or rounded-up share overflows.
inline constexpr Tasks tasks_max = Tasks{1} << 61;

/// A message with tasks.
struct Transfer {
  Rank from = 0;
  Rank to = 0;
  Tasks tasks = 0;
  bool operator==(const Transfer&) const = default;
};

/// Messages, at most one between the same two ranks. None needs a task that another one brings.
using Flow = std::vector<Transfer>;

/// The six figures of table 5.1: the first four are the maximum over ranks.
struct Metrics {
  std::int64_t receives_max = 0;
  Tasks tasks_received_max = 0;
  std::int64_t sends_max = 0;
  Tasks tasks_sent_max = 0;
  std::int64_t messages = 0;
  Tasks tasks = 0;
  bool operator==(const Metrics&) const = default;
};

/// The figures of a flow among so many ranks. O(ranks + messages).
Metrics metrics(std::int32_t ranks, const Flow& flow);

/// The loads behind the flow.
std::vector<Tasks> applied(std::span<const Tasks> loads, const Flow& flow);

/// The sum of tasks times hops, where `hops` gives those between two ranks; the largest number if it is more.
std::int64_t hop_tasks(const Flow& flow, const std::function<std::int64_t(Rank, Rank)>& hops);

/// Of these consists a whole. Less than 2^13 ranks' roundings stay below 1e-11 of it.
inline constexpr Tasks weight_units = Tasks{1} << 50;
inline constexpr Tasks speed_units = Tasks{1} << 40;

/// A part of a whole, both from 0, in units of which the whole has so many.
inline Tasks units_of(double part, double whole, Tasks units) {
  THALWEG_ASSERT(normal, part >= 0 && whole >= 0);
  return whole > 0 ? std::llround(part / whole * static_cast<double>(units)) : 0;
}

/// Cuts a rank's row of tasks for its messages: tasks cuts[m] .. cuts[m + 1] - 1 go with message m, and those
/// from the last cut on stay. `weights` are the tasks' own, `amounts` what each message is to weigh, in the
/// order of the flow. A message is off by at most the heaviest task's weight: a task goes where its middle
/// lies. Both are from 0, and the amounts are together at most what the tasks weigh. O(tasks + messages).
std::vector<std::int64_t> task_cuts(std::span<const Tasks> weights, std::span<const Tasks> amounts);

/// The same from the row's end: tasks cuts[m + 1] .. cuts[m] - 1 go with message m, and those before the last
/// cut stay.
std::vector<std::int64_t> task_cuts_from_end(std::span<const double> weights,
                                             std::span<const double> amounts);

} // namespace thalweg::balancing

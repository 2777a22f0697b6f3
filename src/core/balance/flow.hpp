// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What moves from whom to whom, and what that costs in the six figures of Sudheer Kumar 2012, table 5.1.

#include "base/rank.hpp"

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

} // namespace thalweg::balancing

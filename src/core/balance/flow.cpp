// SPDX-License-Identifier: BSD-3-Clause
#include "balance/flow.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace thalweg::balancing {

Metrics metrics(std::int32_t ranks, const Flow& flow) {
  struct Side {
    std::int64_t messages = 0;
    Tasks tasks = 0;
  };
  std::vector<Side> sent(static_cast<std::size_t>(ranks));
  std::vector<Side> received(static_cast<std::size_t>(ranks));
  Metrics result;
  for (const Transfer& transfer : flow) {
    Side& from = sent[static_cast<std::size_t>(transfer.from)];
    Side& to = received[static_cast<std::size_t>(transfer.to)];
    from = {from.messages + 1, from.tasks + transfer.tasks};
    to = {to.messages + 1, to.tasks + transfer.tasks};
    result.sends_max = std::max(result.sends_max, from.messages);
    result.tasks_sent_max = std::max(result.tasks_sent_max, from.tasks);
    result.receives_max = std::max(result.receives_max, to.messages);
    result.tasks_received_max = std::max(result.tasks_received_max, to.tasks);
    result.tasks += transfer.tasks;
  }
  result.messages = static_cast<std::int64_t>(flow.size());
  return result;
}

std::vector<Tasks> applied(std::span<const Tasks> loads, const Flow& flow) {
  std::vector<Tasks> result(loads.begin(), loads.end());
  for (const Transfer& transfer : flow) {
    THALWEG_ASSERT(normal, static_cast<std::size_t>(std::max(transfer.from, transfer.to)) < loads.size() &&
                               std::min(transfer.from, transfer.to) >= 0);
    result[static_cast<std::size_t>(transfer.from)] -= transfer.tasks;
    result[static_cast<std::size_t>(transfer.to)] += transfer.tasks;
  }
  THALWEG_ASSERT(heavy, std::reduce(loads.begin(), loads.end()) == std::reduce(result.begin(), result.end()));
  return result;
}

std::int64_t hop_tasks(const Flow& flow, const std::function<std::int64_t(Rank, Rank)>& hops) {
  std::int64_t total = 0;
  for (const Transfer& transfer : flow) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(transfer.tasks, hops(transfer.from, transfer.to), &product) ||
        __builtin_add_overflow(total, product, &total))
      return std::numeric_limits<std::int64_t>::max();
  }
  return total;
}

std::vector<std::int64_t> task_cuts(std::span<const Tasks> weights, std::span<const Tasks> amounts) {
  std::vector<std::int64_t> cuts{0};
  Tasks wanted = 0;
  Tasks before = 0; // weight of the tasks that are dealt with
  std::size_t task = 0;
  for (const Tasks amount : amounts) {
    wanted += amount;
    for (; task < weights.size() && before + (weights[task] + 1) / 2 <= wanted; ++task)
      before += weights[task];
    cuts.push_back(static_cast<std::int64_t>(task));
  }
  THALWEG_ASSERT(light, cuts.size() == amounts.size() + 1);
  THALWEG_ASSERT(heavy, std::ranges::is_sorted(cuts));
  return cuts;
}

std::vector<std::int64_t> task_cuts_from_end(std::span<const double> weights,
                                             std::span<const double> amounts) {
  std::size_t left = weights.size();
  std::vector<std::int64_t> cuts{static_cast<std::int64_t>(left)};
  double wanted = 0;
  double behind = 0; // weight of the tasks that are dealt with
  for (const double amount : amounts) {
    wanted += amount;
    for (; left > 0 && behind + weights[left - 1] / 2 <= wanted; --left)
      behind += weights[left - 1];
    cuts.push_back(static_cast<std::int64_t>(left));
  }
  return cuts;
}

} // namespace thalweg::balancing

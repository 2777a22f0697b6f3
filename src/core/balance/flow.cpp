// SPDX-License-Identifier: BSD-3-Clause
#include "balance/flow.hpp"

#include <algorithm>
#include <limits>

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
    result[static_cast<std::size_t>(transfer.from)] -= transfer.tasks;
    result[static_cast<std::size_t>(transfer.to)] += transfer.tasks;
  }
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

} // namespace thalweg::balancing

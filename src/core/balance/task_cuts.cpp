// SPDX-License-Identifier: BSD-3-Clause
#include "balance/task_cuts.hpp"

namespace thalweg::balancing {

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

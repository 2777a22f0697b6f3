#include "balance/task_cuts.hpp"

namespace thalweg::balance {

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

} // namespace thalweg::balance

// SPDX-License-Identifier: BSD-3-Clause
#include "topology/runs.hpp"

namespace thalweg::topology {

namespace {

/// Adds a run of neighbors: as one more of the last entry's runs if it continues their row.
void add_run(std::vector<Runs>& result, std::int32_t first, std::int32_t run) {
  if (!result.empty() && result.back().run == run) {
    Runs& last = result.back();
    if (last.count == 1)
      last.stride = first - last.first;
    if (last.first + last.count * last.stride == first) {
      ++last.count;
      return;
    }
  }
  result.push_back({first, run});
}

} // namespace

std::vector<Runs> compressed(std::span<const std::int32_t> ascending) {
  std::vector<Runs> result;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t end = i + 1;
    while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1)
      ++end;
    add_run(result, ascending[i], static_cast<std::int32_t>(end - i));
    i = end;
  }
  return result;
}

std::vector<std::int32_t> expanded(std::span<const Runs> runs) {
  std::vector<std::int32_t> numbers;
  for (const Runs& entry : runs)
    for (std::int32_t j = 0; j < entry.count; ++j)
      for (std::int32_t i = 0; i < entry.run; ++i)
        numbers.push_back(entry.first + j * entry.stride + i);
  return numbers;
}

} // namespace thalweg::topology

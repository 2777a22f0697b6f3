// SPDX-License-Identifier: BSD-3-Clause
#include "place/quadratic.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace thalweg::place {

std::int64_t Quadratic::cost(const Slots& place_of) const {
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < size; ++i)
    for (std::int32_t j = 0; j < size; ++j)
      sum +=
          flow(i, j) * distance(place_of[static_cast<std::size_t>(i)], place_of[static_cast<std::size_t>(j)]);
  return sum;
}

void check_quadratic(const Quadratic& problem) {
  const auto entries = static_cast<std::size_t>(problem.size) * static_cast<std::size_t>(problem.size);
  if (problem.size < 1 || problem.flows.size() != entries || problem.distances.size() != entries)
    throw Error(fmt::format("matrices of {} and {} numbers for {} tasks", problem.flows.size(),
                            problem.distances.size(), problem.size),
                "give two square matrices of at least one row");
  constexpr double limit = 0x1p62;
  double flows = 0;
  for (const std::int64_t flow : problem.flows)
    flows += static_cast<double>(flow);
  const std::int64_t lowest =
      std::min(*std::ranges::min_element(problem.flows), *std::ranges::min_element(problem.distances));
  if (lowest < 0)
    throw Error(fmt::format("a flow or distance of {}", lowest), "give numbers from 0");
  if (flows * static_cast<double>(*std::ranges::max_element(problem.distances)) > limit)
    throw Error(fmt::format("flows of {} over distances of up to {}", flows,
                            *std::ranges::max_element(problem.distances)),
                "count in a larger unit");
}

} // namespace thalweg::place

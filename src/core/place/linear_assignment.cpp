// SPDX-License-Identifier: BSD-3-Clause
#include "place/linear_assignment.hpp"

#include <limits>

namespace thalweg::place {

LinearAssignment assigned(std::span<const std::int64_t> costs, std::int32_t size) {
  const auto n = static_cast<std::size_t>(size);
  constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max() / 2;
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::int64_t> row_price(n);
  std::vector<std::int64_t> column_price(n);
  std::vector<std::size_t> row_of(n, none);
  std::vector<std::int64_t> distance(n);
  std::vector<std::size_t> from(n); // the column before on the shortest path, none: the row itself
  std::vector<bool> is_done(n);
  for (std::size_t row = 0; row < n; ++row) {
    std::fill(distance.begin(), distance.end(), infinite);
    std::fill(is_done.begin(), is_done.end(), false);
    std::size_t column = none;
    std::size_t current = row;
    std::int64_t length = 0;
    while (true) {
      std::size_t next = none;
      for (std::size_t other = 0; other < n; ++other) {
        if (is_done[other])
          continue;
        const std::int64_t step =
            length + costs[current * n + other] - row_price[current] - column_price[other];
        if (step < distance[other]) {
          distance[other] = step;
          from[other] = column;
        }
        if (next == none || distance[other] < distance[next])
          next = other;
      }
      length = distance[next];
      is_done[next] = true;
      column = next;
      if (row_of[column] == none)
        break;
      current = row_of[column];
    }
    row_price[row] += length;
    for (std::size_t other = 0; other < n; ++other)
      if (is_done[other] && other != column) {
        row_price[row_of[other]] += length - distance[other];
        column_price[other] -= length - distance[other];
      }
    for (; from[column] != none; column = from[column])
      row_of[column] = row_of[from[column]];
    row_of[column] = row;
  }
  LinearAssignment result{0, std::vector<std::int32_t>(n), std::vector<std::int64_t>(n * n)};
  for (std::size_t column = 0; column < n; ++column) {
    result.column_of[row_of[column]] = static_cast<std::int32_t>(column);
    result.cost += costs[row_of[column] * n + column];
  }
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column)
      result.reduced[row * n + column] = costs[row * n + column] - row_price[row] - column_price[column];
  return result;
}

} // namespace thalweg::place

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The quadratic assignment problem on dense matrices, for few tasks: what placement by hop-bytes is, and what
// QAPLIB's instances are.
//
//     cost = sum over i, j of flows[i][j] * distances[place of i][place of j]

#include "place/budget.hpp"
#include "place/mapping.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::place {

/// Two matrices of whole numbers, row by row; neither need be symmetric. The sum of all products has to fit
/// into 63 bits.
struct Quadratic {
  std::int32_t size = 0;
  std::vector<std::int64_t> flows;
  std::vector<std::int64_t> distances;

  std::int64_t flow(std::int32_t i, std::int32_t j) const { return flows[index(i, j)]; }
  std::int64_t distance(std::int32_t p, std::int32_t q) const { return distances[index(p, q)]; }
  std::int64_t cost(const Slots& place_of) const;

private:
  std::size_t index(std::int32_t row, std::int32_t column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(size) + static_cast<std::size_t>(column);
  }
};

/// Throws Error for matrices that are not of size * size, numbers below 0, and sums that do not fit.
void check_quadratic(const Quadratic& problem);

struct QuadraticResult {
  Slots place_of;
  std::int64_t cost = 0;
  std::int64_t bound =
      0; ///< no assignment costs less; equal to the cost where that is proven to be the least
};

/// Robust tabu search (Taillard 1991), begun again from disturbed bests: the best that is met in the budget.
QuadraticResult tabu_search(const Quadratic& problem, std::uint64_t seed, Budget& budget, Slots start = {});

/// Branch and bound with Gilmore-Lawler bounds, begun with what tabu search finds. Within the budget the
/// answer is proven; else the bound is that of the root. For up to about 15 tasks, more where distances
/// repeat.
QuadraticResult branch_and_bound(const Quadratic& problem, std::uint64_t seed, Budget& budget);

/// The bound of Gilmore (1962) and Lawler (1963): O(size^3 log size).
std::int64_t gilmore_lawler(const Quadratic& problem);

/// A bound near that of the linear relaxation with level-1 RLT rows (Adams and Johnson 1994), by dual ascent
/// (Hahn and Grant 1998), until rounds gain little or the budget is over. It holds whenever it ends. The sum
/// of all flows times that of all distances has to fit into 50 bits, or the bound is 0. For up to some 30
/// tasks: memory grows with the fourth power of their number, a round with the fifth. With
/// `is_first_anywhere` all places are alike, as on a torus, so that the first task may have the first one.
std::int64_t relaxation(const Quadratic& problem, bool is_first_anywhere, Budget& budget);

/// The linear assignment problem, by which bounds are found: each row one column, at the smallest sum.
struct LinearAssignment {
  std::int64_t cost = 0;
  std::vector<std::int32_t> column_of;
  /// What each entry costs beyond the rows' and columns' prices, row by row: 0 where it is assigned, and a
  /// lower bound of what forcing it adds.
  std::vector<std::int64_t> reduced;
};

/// By shortest augmenting paths (Jonker and Volgenant 1987). `costs` is square, row by row. O(size^3).
LinearAssignment assigned(std::span<const std::int64_t> costs, std::int32_t size);

} // namespace thalweg::place

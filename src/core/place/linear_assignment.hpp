// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The linear assignment problem: each row one column, at the smallest sum.

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::place {

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

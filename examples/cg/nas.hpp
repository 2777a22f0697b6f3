// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the NAS parallel benchmark CG prescribes: the random sparse matrix and its smallest eigenvalue's
// estimate (NPB 3.4, Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, section 2.3).

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace thalweg::examples::cg {

struct Problem {
  std::string name;
  int n = 0;       ///< rows
  int nonzero = 0; ///< of each random vector
  int iterations = 0;
  double shift = 0;
  double zeta = 0; ///< the published result
};

std::span<Problem const> problems();
bool is_right(Problem const& problem, double zeta);

/// Rows `first` to `last`-1 of the matrix, compressed by rows.
struct Rows {
  int first = 0;
  int last = 0;
  std::vector<std::size_t> begins; ///< of each row among the values, and the end
  std::vector<int> columns;
  std::vector<double> values;

  /// out = matrix * whole; `out` has this part's rows, `whole` all of them.
  void multiply(std::span<double const> whole, std::span<double> out) const;
};

Rows make_rows(Problem const& problem, int first, int last);

} // namespace thalweg::examples::cg

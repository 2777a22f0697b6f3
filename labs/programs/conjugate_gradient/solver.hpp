// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conjugate_gradient/halo.hpp"

#include <cstdint>

namespace thalweg::benchmarks::conjugate_gradient {

/// Collective. Solves the Laplacian for a random right-hand side by `iterations` steps of conjugate gradients
/// and returns the residual's norm relative to the right-hand side's; the same on all ranks.
double solve(Box const& box, int size, int iterations, std::uint64_t seed);

} // namespace thalweg::benchmarks::conjugate_gradient

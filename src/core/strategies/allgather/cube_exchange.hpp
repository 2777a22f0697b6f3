// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/strategy.hpp"

namespace thalweg::strategies::allgather {

/// All-gather on the hypercube of that radix: folded ranks in, `stages` stages (at most as many as it has
/// dimensions) of exchanges with the radix-1 nodes that differ in one digit, the lowest first, then directly
/// among the nodes that agree in these digits, folded ranks out.
void append_on_cube(Builder& b, std::int32_t radix, std::int32_t stages);

} // namespace thalweg::strategies::allgather

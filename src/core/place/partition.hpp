// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Tasks in parts of given sizes, with little between the parts.
//
// Source: multilevel recursive bisection, Karypis and Kumar 1998.

#include "base/random.hpp"
#include "place/graph.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::place {

/// The part of each task, 0 .. parts-1, of alike weights. `weights` has a number from 0 for each task;
/// `imbalance` is by how much of the mean a part may be heavier, where the tasks can be dealt out so. Parts
/// with near numbers are near each other. O(edges log edges log parts).
std::vector<std::int32_t> partition(const Graph& graph, const std::vector<double>& weights,
                                    std::int32_t parts, double imbalance, Random& random);

/// The same with exactly so many tasks in each part; the sizes add up to the tasks.
std::vector<std::int32_t> partition(const Graph& graph, const std::vector<std::int32_t>& part_sizes,
                                    Random& random);

/// The sum of the weights of each part's tasks.
std::vector<double> part_weights(const std::vector<std::int32_t>& part_of, const std::vector<double>& weights,
                                 std::int32_t parts);

} // namespace thalweg::place

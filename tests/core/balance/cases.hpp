// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Random cases for the tests of this folder, and what holds for all of them.

#include "balance/scheme.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>

namespace thalweg::balancing {

/// How many cases a test makes of `count`: THALWEG_TEST_EFFORT=50 makes fifty times as many.
inline int cases(int count) {
  const char* effort = std::getenv("THALWEG_TEST_EFFORT");
  return count * (effort == nullptr ? 1 : std::max(std::atoi(effort), 1));
}

inline std::vector<Rank> shuffled_ranks(std::mt19937& random, std::int32_t ranks) {
  std::vector<Rank> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// 1 to 24 ranks in any order, with loads of one of several kinds: close to each other, wild, many empty,
/// huge, none.
inline Problem random_problem(std::mt19937& random) {
  const auto pick = [&](Tasks low, Tasks high) {
    return std::uniform_int_distribution<Tasks>(low, high)(random);
  };
  Problem problem;
  problem.loads.resize(static_cast<std::size_t>(pick(1, 24)));
  problem.order = shuffled_ranks(random, problem.ranks());
  problem.spread = pick(0, 1) == 0 ? Spread::even : Spread::capped;
  const Tasks kind = pick(0, 4);
  for (Tasks& load : problem.loads)
    load = kind == 0   ? pick(20, 28)
           : kind == 1 ? pick(0, 50)
           : kind == 2 ? pick(0, 3) / 3 * pick(0, 9)
           : kind == 3 ? pick(0, tasks_max / 24)
                       : 0;
  return problem;
}

inline std::string describe(const Problem& problem) {
  std::string text = "loads";
  for (const Tasks load : problem.loads)
    text += ' ' + std::to_string(load);
  text += ", order";
  for (const Rank rank : problem.order)
    text += ' ' + std::to_string(rank);
  return text + ", spread " + std::string(name(problem.spread));
}

} // namespace thalweg::balancing

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/degree.hpp"

#include "base/error.hpp"
#include "schedule/sparse_exchange.hpp"

#include <cmath>
#include <fmt/format.h>

namespace thalweg::strategies {

bool has_degree(const Call& call) {
  return call.unequal_blocks && call.operation == Operation::alltoall;
}

void check_degree(const Call& call, double degree) {
  if (degree == 0)
    return;
  if (!has_degree(call))
    throw Error(
        fmt::format("{} with a degree of {}: each rank has something for all others", call.name, degree),
        "leave the degree out, or ask for alltoallv");
  if (!(degree > 0) || !std::isfinite(degree))
    throw Error(fmt::format("{} to {} other ranks", call.name, degree), "choose a degree of 1 or more");
}

schedule::Schedule build(const Strategy& strategy, const Problem& problem, Rank rank, double degree) {
  schedule::Schedule whole = build(strategy, problem, rank);
  const bool is_thin = degree > 0 && degree < problem.ranks - 1 && problem.operation == Operation::alltoall;
  return is_thin && strategy.unequal_blocks ? schedule::without_empty_messages(whole, degree) : whole;
}

std::vector<schedule::Schedule> build_all(const Strategy& strategy, const Problem& problem, double degree) {
  std::vector<schedule::Schedule> schedules;
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    schedules.push_back(build(strategy, problem, rank, degree));
  return schedules;
}

bool carries_empty_blocks(const Strategy& strategy, double degree) {
  return degree > 0 && strategy.operation == Operation::alltoall && !strategy.unequal_blocks;
}

std::int64_t block_bytes(const Strategy& strategy, const Problem& problem, std::int64_t unit_bytes,
                         double degree) {
  return carries_empty_blocks(strategy, degree)
             ? schedule::carried_block_bytes(unit_bytes, problem.ranks, degree)
             : unit_bytes;
}

} // namespace thalweg::strategies

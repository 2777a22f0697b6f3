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
  if (!has_degree(call) && !is_among_neighbors(call.operation))
    throw Error(
        fmt::format("{} with a degree of {}: each rank has something for all others", call.name, degree),
        "leave the degree out, or ask for alltoallv");
  if (!(degree > 0) || !std::isfinite(degree))
    throw Error(fmt::format("{} to {} other ranks", call.name, degree), "choose a degree of 1 or more");
}

bool is_among_neighbors(Operation operation) {
  return operation == Operation::neighbor_allgather || operation == Operation::neighbor_alltoall;
}

std::shared_ptr<const std::vector<schedule::Neighborhood>> neighborhoods_of(std::int32_t ranks,
                                                                            double degree) {
  std::vector<schedule::Neighborhood> all(static_cast<std::size_t>(ranks));
  for (Rank from = 0; from < ranks; ++from)
    for (std::int32_t ahead = 1; ahead < ranks; ++ahead) {
      const Rank to = (from + ahead) % ranks;
      if (!schedule::has_block(from, to, ranks, degree))
        break; // nor is there one for those behind it
      all[static_cast<std::size_t>(from)].destinations.push_back(to);
      all[static_cast<std::size_t>(to)].sources.push_back(from);
    }
  return std::make_shared<const std::vector<schedule::Neighborhood>>(std::move(all));
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
  const bool has_empty =
      is_among_neighbors(strategy.operation) || (strategy.operation == Operation::alltoall && degree > 0);
  return has_empty && !strategy.unequal_blocks;
}

std::int64_t block_bytes(const Strategy& strategy, const Problem& problem, std::int64_t unit_bytes,
                         double degree) {
  return carries_empty_blocks(strategy, degree) && strategy.operation == Operation::alltoall
             ? schedule::carried_block_bytes(unit_bytes, problem.ranks, degree)
             : unit_bytes;
}

} // namespace thalweg::strategies

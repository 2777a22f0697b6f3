// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_ballot.hpp"

#include "schedule/buffers.hpp"
#include "strategies/index.hpp"

namespace thalweg::mpi {

std::unique_ptr<engine::Plan> plan_of_round(std::int32_t ranks, Rank rank, std::int64_t bytes) {
  const strategies::Strategy& strategy = strategies::find(schedule::Operation::allgather, "gather_broadcast");
  schedule::Problem problem;
  problem.operation = schedule::Operation::allgather;
  problem.ranks = ranks;
  problem.unit_bytes = bytes;
  problem.parameters = strategies::resolve(strategy, {});
  const schedule::Schedule schedule = strategies::build(strategy, problem, rank);
  const engine::Layout layout = engine::Layout::uniform(bytes, schedule.pieces, 1);
  return std::make_unique<engine::Plan>(
      schedule, engine::Layouts{.input = layout,
                                .output = layout,
                                .canonical = layout,
                                .canonical_blocks = static_cast<std::int32_t>(
                                    schedule::canonical_blocks(problem, schedule.pieces))});
}

} // namespace thalweg::mpi

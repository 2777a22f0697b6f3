// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/execution.hpp"
#include "engine/plan.hpp"
#include "transport/batch.hpp"

namespace thalweg::mpi {

// A round in which all ranks hear all words.
struct NicRound {
  NicRound(const engine::Plan& plan, transport::Transport& transport)
      : batch(transport.make_batch()), execution(plan, *batch), scratch(plan.scratch_bytes()),
        staging(plan.staging_bytes()) {}
  std::unique_ptr<transport::Batch> batch;
  engine::Execution execution;
  std::vector<std::byte> scratch;
  std::vector<std::byte> staging;
};

// Of words of so many bytes: along trees, so that few ranks are connected for it.
std::unique_ptr<engine::Plan> plan_of_round(std::int32_t ranks, Rank rank, std::int64_t bytes);

} // namespace thalweg::mpi

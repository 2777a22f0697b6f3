// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the engine keeps for one communicator: its transport and the plans made so far.

#include <memory>
#include <optional>
#include <vector>

#include "engine/plan_cache.hpp"
#include "job/mpi/operator.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/run/bound_run.hpp"
#include "strategies/implementation.hpp"

namespace thalweg::mpi {

// A schedule whose messages carry the sizes of their blocks, for calls with any counts.
struct SelfDescribing {
  explicit SelfDescribing(schedule::Schedule made) : schedule(std::move(made)) {}
  const schedule::Schedule schedule;
  // Of blocking calls; on the communicator's batch.
  std::optional<engine::SelfDescribingExecution> execution;
};

class CommunicatorPlans {
public:
  explicit CommunicatorPlans(CommunicatorState& communicator);

  transport::Transport& transport() { return *transport_; }
  // For collectives that may end after the communicator.
  const std::shared_ptr<transport::Transport>& shared_transport() const { return transport_; }
  engine::Tags next_tags() { return tags_.for_call(); }
  // Tags of a new persistent operation, for all its runs; none when they are used up, which all ranks see
  // alike.
  engine::Tags persistent_tags() { return tags_.for_persistent(); }

  // The plan for a bound call, made if there is none; nullptr and why if the strategy cannot do it. The same
  // on all ranks. `id` tells schedules apart (Choice::id). Decides which sides of the call are staged. The
  // pointer stays good while a caller holds it.
  struct Found {
    std::shared_ptr<engine::Plan> plan;
    // Instead of it, where blocks are passed on by ranks that do not know their sizes.
    std::shared_ptr<SelfDescribing> self_describing;
    const char* reason = nullptr;
  };
  Found plan_for(CallBinding& bound, const strategies::Scheduled& scheduled, std::int64_t id,
                 CommunicatorState& communicator);

  // Of blocking calls, of which there is one at a time on a communicator.
  RunStorage storage;
  job::MpiOperator reduction;
  transport::Batch& batch() { return *batch_; }
  // After an error, when messages may still be under way on the old one. Nobody may hold that.
  void renew_batch();

private:
  std::shared_ptr<engine::Plan> prepare(CallBinding& bound, const schedule::Schedule& schedule);

  std::shared_ptr<transport::Transport> transport_;
  std::unique_ptr<transport::Batch> batch_;
  engine::TagSupply tags_;
  engine::PlanCache<engine::Plan> plans_;
  engine::PlanCache<SelfDescribing> self_describing_;
};

} // namespace thalweg::mpi

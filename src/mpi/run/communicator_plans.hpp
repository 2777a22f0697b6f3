#pragma once

// What the engine keeps for one communicator: its transport and the plans made so far.

#include <memory>
#include <vector>

#include "engine/execution.hpp"
#include "job/mpi/operator.hpp"
#include "job/plan_cache.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/run/bound_run.hpp"
#include "strategies/implementation.hpp"

namespace thalweg::mpi {

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
    const char* reason = nullptr;
    bool is_kept = false; // the same for every such call: nothing in it was asked of other ranks
  };
  Found plan_for(CallBinding& bound, const strategies::Scheduled& scheduled, std::int64_t id,
                 CommunicatorState& communicator, bool blocking);

  // Of blocking calls, of which there is one at a time on a communicator.
  RunStorage storage;
  job::MpiOperator reduction;
  transport::Batch& batch() { return *batch_; }
  // After an error, when messages may still be under way on the old one. Nobody may hold that.
  void renew_batch() { batch_ = transport_->make_batch(); }

private:
  std::shared_ptr<engine::Plan> prepare(CallBinding& bound, const strategies::Strategy& strategy);
  // Runs the schedule on blocks' sizes, so that every rank knows what it will pass on; see
  // schedule/buffers.hpp.
  engine::Layout find_scratch_sizes(const CallBinding& bound, const schedule::Schedule& schedule);

  std::shared_ptr<transport::Transport> transport_;
  std::unique_ptr<transport::Batch> batch_;
  engine::TagSupply tags_;
  job::PlanCache<engine::Plan> plans_;
};

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the engine keeps for one communicator: its transport, the plans made so far, and the calls that it can
// repeat.

#include "engine/plan.hpp"
#include "job/mpi/operator.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/call/gpu_memory.hpp"
#include "mpi/call/sides.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/run/bound_run.hpp"
#include "mpi/run/neighbor_graph.hpp"
#include "strategies/implementation.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace thalweg::mpi {

/// A schedule whose messages carry the sizes of their blocks, for calls with any counts.
struct SelfDescribing {
  explicit SelfDescribing(schedule::Schedule made) : schedule(std::move(made)) {}
  const schedule::Schedule schedule;
  /// Of blocking calls; on the communicator's batch.
  std::optional<engine::SelfDescribingExecution> execution;
};

/// The last tags of a transport are for agreements between rounds of nonblocking calls (mpi/learn).
inline constexpr std::int32_t tags_of_learning = 128;

class CommunicatorPlans {
public:
  explicit CommunicatorPlans(CommunicatorState& communicator);

  transport::Transport& transport() { return *transport_; }
  /// For collectives that may end after the communicator.
  const std::shared_ptr<transport::Transport>& shared_transport() const { return transport_; }
  engine::Tags next_tags() { return tags_.for_call(); }
  /// Tags of a new persistent operation, for all its runs; none when they are used up, which all ranks see
  /// alike.
  engine::Tags persistent_tags() { return tags_.for_persistent(); }

  /// The plan for a bound call, made if there is none; nullptr and why if the strategy cannot do it. The same
  /// on all ranks. `id` tells schedules apart (Choice::id). Decides which sides of the call are staged. The
  /// pointer stays good while a caller holds it.
  struct Lookup {
    std::shared_ptr<engine::Plan> plan;
    /// Instead of it, where blocks are passed on by ranks that do not know their sizes.
    std::shared_ptr<SelfDescribing> self_describing;
    const char* reason = nullptr;
  };
  Lookup plan_for(CallBinding& bound, const strategies::Scheduled& scheduled, std::int64_t id,
                  CommunicatorState& communicator);

  /// All ranks' neighbors, for strategies that know them; all ranks are in a call that may wait.
  void gather_graph(CommunicatorState& communicator);

  /// Of blocking calls, of which there is one at a time on a communicator.
  RunStorage storage;
  job::MpiOperator reduction;
  transport::Batch& batch() { return *batch_; }
  /// After an error, when messages may still be under way on the old one. Nobody may hold that.
  void renew_batch();

private:
  std::shared_ptr<engine::Plan> prepare(CallBinding& bound, const schedule::Schedule& schedule);

  std::shared_ptr<transport::Transport> transport_;
  std::unique_ptr<transport::Batch> batch_;
  engine::TagSupply tags_;
  NeighborGraph graph_;
  engine::PlanCache<engine::Plan> plans_;
  engine::PlanCache<SelfDescribing> self_describing_;
};

/// The short way: calls that repeat an earlier one but for its addresses.
///
/// Most programs make the same few calls again and again. Those with predefined datatypes are remembered with
/// everything that binding and looking up would find, so that a repetition compares a few words, and its
/// arrays of counts.
class RecentCall {
public:
  /// Is this call the same, made under the same choice?
  bool matches(const CollectiveCall& call, std::int64_t choice) const {
    return choice == choice_ && call.function->operation == function_->operation &&
           signature_of(call) == signature_ && call.recvbuf != MPI_IN_PLACE && has_arrays(arrays_of(call));
  }
  /// Are these the counts and displacements of it?
  bool has_arrays(const CallArrays& arrays) const { return ranks_ == 0 || has_same_arrays(arrays); }
  /// Are the buffers in the host's memory, where the plan may run on them?
  bool are_on_host(const void* sendbuf, const void* recvbuf) { return buffers_.include(sendbuf, recvbuf); }
  bool is_empty() const { return plan_ == nullptr; }
  /// Remembers a call that has just been bound; the plan and operator must do for every repetition.
  void remember(const CollectiveCall& call, std::int64_t choice, const CallBinding& bound,
                std::shared_ptr<const engine::Plan> plan, CommunicatorPlans& plans);
  /// Runs the plan on a matching call's buffers.
  void run(const void* sendbuf, void* recvbuf);
  const engine::Plan* plan() const { return plan_.get(); }
  /// What is remembered, without buffers and arrays, for errors.
  CollectiveCall call() const;

private:
  bool has_same_arrays(const CallArrays& arrays) const;

  std::int64_t choice_ = 0; ///< no choice has this number: matches nothing
  const FunctionInfo* function_ = nullptr;
  CallSignature signature_;
  std::int64_t input_offset_ = 0; ///< of in-place input in the output buffer
  /// Of calls with arrays: how long these are, and what is significant here, one array after the other.
  std::size_t ranks_ = 0;
  std::vector<std::int64_t> send_arrays_;
  std::vector<std::int64_t> receive_arrays_;
  HostBuffers buffers_;
  CommunicatorPlans* plans_ = nullptr;
  std::shared_ptr<const engine::Plan> plan_;
  std::unique_ptr<engine::Execution> execution_;
  job::MpiOperator reduction_;
};

/// Do the call's handles say all of its type and operation? Those of what the program made do not: they are
/// given to others once it is freed. What is insignificant off the root may hold anything, and is not looked
/// at.
bool is_identified_by_handles(const CollectiveCall& call, const CallRanks& ranks);

/// Can a repetition of the call be told by what RecentCall compares?
bool is_repeatable(const CollectiveCall& call, const CallBinding& bound, int rank);

/// A handful of remembered calls of each operation, by what they ask for.
class RecentCalls {
public:
  RecentCall& place_for(const CollectiveCall& call) {
    std::unique_ptr<Places>& places = calls_[static_cast<std::size_t>(call.function->operation)];
    if (!places)
      places = std::make_unique<Places>();
    return (*places)[place_of(call.recvcount, call.root, bits)];
  }

private:
  static constexpr unsigned bits = 3;
  using Places = std::array<RecentCall, std::size_t{1} << bits>;
  std::array<std::unique_ptr<Places>, static_cast<std::size_t>(Operation::neighbor_alltoallw) + 1> calls_;
};

} // namespace thalweg::mpi

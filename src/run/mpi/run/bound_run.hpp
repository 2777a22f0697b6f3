// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A run of a bound call on the engine: its buffers and their packing, its begin, and its end.

#include "engine/execution.hpp"
#include "engine/self_describing.hpp"
#include "job/buffers.hpp"
#include "job/mpi/operator.hpp"
#include "mpi/run/call_binding.hpp"

namespace thalweg::mpi {

/// Memory that a run needs besides the program's buffers.
struct RunStorage {
  job::Storage scratch;
  job::Storage staging;
  job::Storage input;
  job::Storage output;
};

/// Of a reduction: its operator on its type, and whether that commutes.
void set_operator(job::MpiOperator& reduction, CallBinding& bound, const CollectiveCall& call);
/// Makes the buffers of a run, with what must be packed packed. Returns MPI's error code.
int stage_in(const CallBinding& bound, Rank rank, RunStorage& storage, engine::Buffers& buffers);
/// Begins a run on them.
inline void start(engine::Execution& execution, const engine::Plan& plan, RunStorage& storage,
                  engine::Buffers buffers, engine::Tags tags, engine::Operator& reduction) {
  buffers.scratch = storage.scratch.grow(static_cast<std::size_t>(plan.scratch_bytes()));
  buffers.staging = storage.staging.grow(static_cast<std::size_t>(plan.staging_bytes()));
  execution.start(buffers, tags, &reduction);
}
void start(engine::SelfDescribingExecution& execution, const schedule::Schedule& schedule,
           const CallBinding& bound, const engine::Buffers& buffers, engine::Tags tags);
/// Unpacks what the program is to get.
int stage_out(const CallBinding& bound, Rank rank, const engine::Buffers& buffers);

/// Runs an execution to its end: yielding where cores are short, and looking after other executions in
/// flight.
void run_blocking(engine::Runnable& execution, const transport::Transport& transport);

/// A call's buffers as rows of bytes, packed where the program's have gaps, for what devices do with bytes.
class BoundBuffers {
public:
  BoundBuffers(const CollectiveCall& call, CommunicatorState& communicator);
  BoundBuffers(BoundBuffers&&) = delete;
  ~BoundBuffers();

  Rank rank() const { return rank_; }
  bool is_root() const { return bound_.problem.root == rank_; }
  /// Bytes of a unit (schedule/buffers.hpp): the same on all ranks.
  std::size_t unit_bytes() const { return static_cast<std::size_t>(bound_.problem.unit_bytes); }

  /// Packs the input. Returns MPI's error code.
  int stage_in() { return mpi::stage_in(bound_, rank_, storage_, buffers_); }
  /// Unpacks the output.
  int stage_out() { return mpi::stage_out(bound_, rank_, buffers_); }
  std::byte* input() const { return buffers_.input; }
  std::byte* output() const { return buffers_.output; }

private:
  CallBinding bound_;
  Rank rank_;
  bool outlives_call_; ///< the program may free its datatypes before it is done
  RunStorage storage_;
  engine::Buffers buffers_;
};

} // namespace thalweg::mpi

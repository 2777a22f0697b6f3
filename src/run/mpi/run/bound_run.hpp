// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/self_describing.hpp"
#include "job/mpi/operator.hpp"
#include "job/storage.hpp"
#include "mpi/run/call_binding.hpp"

namespace thalweg::mpi {

// Memory that a run needs besides the program's buffers.
struct RunStorage {
  job::Storage scratch;
  job::Storage staging;
  job::Storage input;
  job::Storage output;
};

// Of a reduction: its operator on its type, and whether that commutes.
void set_operator(job::MpiOperator& reduction, CallBinding& bound, const CollectiveCall& call);
// Makes the buffers of a run, with what must be packed packed. Returns MPI's error code.
int stage_in(const CallBinding& bound, Rank rank, RunStorage& storage, engine::Buffers& buffers);
// Begins a run on them.
inline void start(engine::Execution& execution, const engine::Plan& plan, RunStorage& storage,
                  engine::Buffers buffers, engine::Tags tags, engine::Operator& reduction) {
  buffers.scratch = storage.scratch.grow(static_cast<std::size_t>(plan.scratch_bytes()));
  buffers.staging = storage.staging.grow(static_cast<std::size_t>(plan.staging_bytes()));
  execution.start(buffers, tags, &reduction);
}
void start(engine::SelfDescribingExecution& execution, const schedule::Schedule& schedule,
           const CallBinding& bound, const engine::Buffers& buffers, engine::Tags tags);
// Unpacks what the program is to get.
int stage_out(const CallBinding& bound, Rank rank, const engine::Buffers& buffers);

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/bound_run.hpp"

#include "base/assertion.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/wait/polling.hpp"

namespace thalweg::mpi {

BoundBuffers::BoundBuffers(const CollectiveCall& call, CommunicatorState& communicator)
    : bound_(bind_call(call, communicator)), rank_(communicator.rank),
      outlives_call_(call.function->mode != Mode::blocking) {
  if (!outlives_call_)
    return;
  bound_.input.retain_types();
  bound_.output.retain_types();
}

BoundBuffers::~BoundBuffers() {
  if (!outlives_call_)
    return;
  bound_.input.release_types();
  bound_.output.release_types();
}

namespace {

bool is_root_of_broadcast(const CallBinding& bound, Rank rank) {
  return bound.problem.operation == schedule::Operation::broadcast && bound.problem.root == rank;
}

} // namespace

void set_operator(job::MpiOperator& reduction, CallBinding& bound, const CollectiveCall& call) {
  if (!schedule::is_reduction(bound.problem.operation))
    return;
  THALWEG_ASSERT(light, is_reduction(call.function->operation) && bound.input.element_bytes() >= 0);
  reduction = {library_api(), library_operators(), call.op, bound.type, bound.input.element_bytes()};
  bound.problem.commutative = reduction.commutes();
}

int stage_in(const CallBinding& bound, Rank rank, RunStorage& storage, engine::Buffers& buffers) {
  THALWEG_ASSERT(light, rank >= 0 && rank < bound.problem.ranks);
  buffers = {.input = bound.input.address(), .output = bound.output.address()};
  if (bound.output.needs_staging())
    buffers.output = storage.output.grow(static_cast<std::size_t>(bound.output.staging_bytes()));
  // Nothing comes from a neighbor that is not there, and its place must stay as it is.
  if (bound.output.needs_staging() && bound.problem.neighborhoods)
    if (const int code = bound.output.stage_in(buffers.output); code != MPI_SUCCESS)
      return code;
  if (bound.input.needs_staging()) {
    buffers.input = storage.input.grow(static_cast<std::size_t>(bound.input.staging_bytes()));
    return bound.input.stage_in(buffers.input);
  }
  if (bound.output.needs_staging() && is_root_of_broadcast(bound, rank))
    return bound.output.stage_in(buffers.output);
  return MPI_SUCCESS;
}

void start(engine::SelfDescribingExecution& execution, const schedule::Schedule& schedule,
           const CallBinding& bound, const engine::Buffers& buffers, engine::Tags tags) {
  execution.start({buffers.input, bound.input.layout(schedule.pieces)},
                  {buffers.output, bound.output.layout(schedule.pieces)}, tags);
}

int stage_out(const CallBinding& bound, Rank rank, const engine::Buffers& buffers) {
  THALWEG_ASSERT(light, !bound.output.needs_staging() || buffers.output != bound.output.address() ||
                            bound.output.staging_bytes() == 0);
  // The root of a broadcast keeps what it gave, and the first rank of an exclusive scan what it had.
  const bool keeps_output = is_root_of_broadcast(bound, rank) ||
                            (bound.problem.operation == schedule::Operation::exscan && rank == 0);
  if (!bound.output.needs_staging() || keeps_output)
    return MPI_SUCCESS;
  return bound.output.stage_out(buffers.output);
}

void run_blocking(engine::Runnable& execution, const transport::Transport& transport) {
  if (!must_poll() || transport.waits_by_looking()) {
    execution.run();
    return;
  }
  wait::Waiter waiter = yielding_waiter();
  std::size_t stage = execution.stage();
  while (!execution.progress()) {
    progress_in_wait();
    if (stage != execution.stage())
      waiter.reset();
    stage = execution.stage();
    if (yields_when_waiting())
      waiter.pause();
  }
}

} // namespace thalweg::mpi

#include "mpi/runner/recent_calls.hpp"

#include "mpi/datatypes.hpp"
#include "mpi/runner/exactness.hpp"
#include "mpi/runner/run_blocking.hpp"

namespace thalweg::mpi {

bool is_told_by_handles(const CollectiveCall& call) {
  if (call.form->operation == Operation::barrier)
    return true;
  if (is_reduction(call.form->operation) && !is_predefined_operation(call.op))
    return false;
  return is_predefined_type(call.recvtype) &&
         (call.sendbuf == MPI_IN_PLACE || is_predefined_type(call.sendtype));
}

bool is_repeatable(const CollectiveCall& call, const CallBinding& bound) {
  const schedule::Operation operation = bound.problem.operation;
  const bool neighbors = operation == schedule::Operation::neighbor_allgather ||
                         operation == schedule::Operation::neighbor_alltoall;
  // What is insignificant off the root may hold anything, so rooted calls with two sides are looked at anew.
  const bool two_sided_root =
      operation == schedule::Operation::gather || operation == schedule::Operation::scatter;
  return !bound.unequal && !neighbors && !two_sided_root && !bound.input.needs_staging() &&
         !bound.output.needs_staging() && call.recvbuf != MPI_IN_PLACE && is_told_by_handles(call);
}

void RecentCall::remember(const CollectiveCall& call, std::int64_t choice, const CallBinding& bound,
                          std::shared_ptr<const engine::Plan> plan, const MpiOperator& reduction,
                          transport::Batch& batch) {
  choice_ = choice;
  operation_ = call.form->operation;
  sendcount_ = call.sendcount;
  recvcount_ = call.recvcount;
  sendtype_ = call.sendtype;
  recvtype_ = call.recvtype;
  op_ = call.op;
  root_ = call.root;
  in_place_ = call.sendbuf == MPI_IN_PLACE;
  input_offset_ = in_place_ ? bound.input.address() - static_cast<std::byte*>(call.recvbuf) : 0;
  plan_ = std::move(plan);
  execution_ = std::make_unique<engine::Execution>(*plan_, batch);
  reduction_ = reduction;
}

void RecentCall::run(const CollectiveCall& call, CommunicatorPlans& plans) {
  auto* output = static_cast<std::byte*>(call.recvbuf);
  auto* input = in_place_ ? output + input_offset_ : static_cast<std::byte*>(const_cast<void*>(call.sendbuf));
  execution_->start({input, output, plans.rows.scratch.grow(static_cast<std::size_t>(plan_->scratch_bytes())),
                     plans.rows.staging.grow(static_cast<std::size_t>(plan_->staging_bytes()))},
                    plans.next_tags(), &reduction_);
  run_blocking(*execution_, plans.transport());
}

} // namespace thalweg::mpi

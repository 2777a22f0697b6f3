#include "mpi/run/recent_calls.hpp"

#include "mpi/call/datatypes.hpp"
#include "mpi/call/device_memory.hpp"
#include "mpi/call/exactness.hpp"
#include "mpi/run/run_blocking.hpp"

namespace thalweg::mpi {

bool is_identified_by_handles(const CollectiveCall& call) {
  if (call.function->operation == Operation::barrier)
    return true;
  if (is_reduction(call.function->operation) && !is_predefined_operation(call.op))
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
         !bound.output.needs_staging() && call.recvbuf != MPI_IN_PLACE && is_identified_by_handles(call);
}

void RecentCall::remember(const CollectiveCall& call, std::int64_t choice, const CallBinding& bound,
                          std::shared_ptr<const engine::Plan> plan, CommunicatorPlans& plans) {
  choice_ = choice;
  function_ = call.function;
  signature_ = signature_of(call);
  input_offset_ = signature_.in_place ? bound.input.address() - static_cast<std::byte*>(call.recvbuf) : 0;
  plans_ = &plans;
  plan_ = std::move(plan);
  execution_ = std::make_unique<engine::Execution>(*plan_, plans.batch());
  reduction_ = plans.reduction;
}

bool RecentCall::are_on_host(const void* sendbuf, const void* recvbuf) {
  if (sendbuf == host_sendbuf_ && recvbuf == host_recvbuf_) [[likely]]
    return true;
  if (may_be_on_device(sendbuf) || may_be_on_device(recvbuf))
    return false;
  host_sendbuf_ = sendbuf;
  host_recvbuf_ = recvbuf;
  return true;
}

void RecentCall::run(const void* sendbuf, void* recvbuf) {
  auto* output = static_cast<std::byte*>(recvbuf);
  auto* input =
      signature_.in_place ? output + input_offset_ : static_cast<std::byte*>(const_cast<void*>(sendbuf));
  RunStorage& storage = plans_->storage;
  execution_->start({input, output, storage.scratch.grow(static_cast<std::size_t>(plan_->scratch_bytes())),
                     storage.staging.grow(static_cast<std::size_t>(plan_->staging_bytes()))},
                    plans_->next_tags(), &reduction_);
  run_blocking(*execution_, plans_->transport());
}

CollectiveCall RecentCall::call() const {
  CollectiveCall call;
  call.function = function_;
  call.comm = signature_.comm;
  call.sendcount = signature_.sendcount;
  call.recvcount = signature_.recvcount;
  call.sendtype = signature_.sendtype;
  call.recvtype = signature_.recvtype;
  call.op = signature_.op;
  call.root = signature_.root;
  return call;
}

} // namespace thalweg::mpi

#include "mpi/run/recent_calls.hpp"

#include "mpi/call/datatypes.hpp"
#include "mpi/call/device_memory.hpp"
#include "mpi/call/exactness.hpp"
#include "mpi/run/run_blocking.hpp"

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
                          std::shared_ptr<const engine::Plan> plan, CommunicatorPlans& plans) {
  choice_ = choice;
  form_ = call.form;
  words_ = words_of(call);
  input_offset_ = words_.in_place ? bound.input.address() - static_cast<std::byte*>(call.recvbuf) : 0;
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
      words_.in_place ? output + input_offset_ : static_cast<std::byte*>(const_cast<void*>(sendbuf));
  Rows& rows = plans_->rows;
  execution_->start({input, output, rows.scratch.grow(static_cast<std::size_t>(plan_->scratch_bytes())),
                     rows.staging.grow(static_cast<std::size_t>(plan_->staging_bytes()))},
                    plans_->next_tags(), &reduction_);
  run_blocking(*execution_, plans_->transport());
}

CollectiveCall RecentCall::call() const {
  CollectiveCall call;
  call.form = form_;
  call.comm = words_.comm;
  call.sendcount = words_.sendcount;
  call.recvcount = words_.recvcount;
  call.sendtype = words_.sendtype;
  call.recvtype = words_.recvtype;
  call.op = words_.op;
  call.root = words_.root;
  return call;
}

} // namespace thalweg::mpi

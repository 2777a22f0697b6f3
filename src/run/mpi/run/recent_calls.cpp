// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/recent_calls.hpp"

#include <span>

#include "mpi/call/exactness.hpp"
#include "mpi/run/run_blocking.hpp"

namespace thalweg::mpi {

bool is_identified_by_handles(const CollectiveCall& call, const CallRanks& ranks) {
  const Operation operation = call.function->operation;
  if (is_reduction(operation) && !is_predefined_operation(call.op))
    return false;
  const auto is_known = [](const Side& side) {
    return !side.is_significant || (side.types == nullptr && is_predefined_type(side.type));
  };
  return is_known(given_arguments(call, ranks)) && is_known(taken_arguments(call, ranks));
}

namespace {

void append(std::vector<std::int64_t>& row, const IntegerArray& array, std::size_t length) {
  for (std::size_t index = 0; array && index < length; ++index)
    row.push_back(array[index]);
}

bool equals(std::span<const std::int64_t> row, const IntegerArray& counts, const IntegerArray& places,
            std::size_t length) {
  if (row.size() != (places ? 2 * length : length) || !counts)
    return false;
  for (std::size_t index = 0; index < length; ++index)
    if (row[index] != counts[index] || (places && row[length + index] != places[index]))
      return false;
  return true;
}

} // namespace

bool is_repeatable(const CollectiveCall& call, const CallBinding& bound, int rank) {
  return !is_among_neighbors(call.function->operation) && call.function->operation != Operation::alltoallw &&
         !bound.input.needs_staging() && !bound.output.needs_staging() && call.recvbuf != MPI_IN_PLACE &&
         is_identified_by_handles(call, {.rank = rank, .size = bound.problem.ranks});
}

void RecentCall::remember(const CollectiveCall& call, std::int64_t choice, const CallBinding& bound,
                          std::shared_ptr<const engine::Plan> plan, CommunicatorPlans& plans) {
  choice_ = choice;
  function_ = call.function;
  signature_ = signature_of(call);
  const bool offers_output = signature_.in_place && bound.input.units() > 0;
  input_offset_ = offers_output ? bound.input.address() - static_cast<std::byte*>(call.recvbuf) : 0;
  send_arrays_.clear();
  receive_arrays_.clear();
  const ArraySides sides = array_sides(call, plans.transport().rank());
  const auto ranks = static_cast<std::size_t>(bound.problem.ranks);
  ranks_ = sides.send || sides.receive ? ranks : 0;
  if (sides.send) {
    append(send_arrays_, call.sendcounts, ranks);
    append(send_arrays_, call.senddispls, ranks);
  }
  if (sides.receive) {
    append(receive_arrays_, call.recvcounts, ranks);
    append(receive_arrays_, call.recvdispls, ranks);
  }
  buffers_ = HostBuffers(buffer_needs(call, {.rank = plans.transport().rank(), .size = bound.problem.ranks}));
  plans_ = &plans;
  plan_ = std::move(plan);
  execution_ = std::make_unique<engine::Execution>(*plan_, plans.batch());
  reduction_ = plans.reduction;
}

bool RecentCall::has_same_arrays(const CallArrays& arrays) const {
  return (send_arrays_.empty() || equals(send_arrays_, arrays.sendcounts, arrays.senddispls, ranks_)) &&
         (receive_arrays_.empty() || equals(receive_arrays_, arrays.recvcounts, arrays.recvdispls, ranks_));
}

void RecentCall::run(const void* sendbuf, void* recvbuf) {
  auto* output = static_cast<std::byte*>(recvbuf);
  auto* input =
      signature_.in_place ? output + input_offset_ : static_cast<std::byte*>(const_cast<void*>(sendbuf));
  start(*execution_, *plan_, plans_->storage, {.input = input, .output = output}, plans_->next_tags(),
        reduction_);
  run_blocking(*execution_, plans_->transport());
  reduction_.finish();
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

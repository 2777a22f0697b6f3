// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/communicator_plans.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "job/buffers.hpp"
#include "mpi/call/operators.hpp"
#include "mpi/run/bound_run.hpp"
#include "mpi/run/neighbors.hpp"
#include "schedule/buffers.hpp"
#include "strategies/order.hpp"

#include <mutex>
#include <set>
#include <span>

namespace thalweg::mpi {

namespace {

void add_binding(engine::PlanKey& key, const BufferBinding& binding) {
  key.push_back(binding.units());
  key.push_back(binding.unit_elements());
  key.push_back(binding.element_bytes());
  key.push_back(binding.needs_staging() ? 1 : 0);
  key.insert(key.end(), binding.counts().begin(), binding.counts().end());
  if (!binding.needs_staging())
    key.insert(key.end(), binding.offsets().begin(), binding.offsets().end());
}

// Whether input and output are the same memory for the schedule, and what is copied aside where that would be
// wrong.
void settle_staging(CallBinding& bound, const strategies::Strategy& strategy, Rank rank) {
  // The first rank's buffer of an exclusive scan must stay as it is, whatever the schedule does there.
  if (bound.problem.operation == schedule::Operation::exscan && rank == 0)
    bound.output.stage_always();
  const bool same_memory = bound.in_place && !bound.output.needs_staging() && !bound.input.needs_staging();
  const job::BufferUse use = job::buffer_use(same_memory, strategy.in_place);
  bound.problem.in_place = use.in_place;
  if (use.copies_input)
    bound.input.stage_always();
}

// Of a schedule.
engine::PlanKey key_of(const schedule::Problem& problem, std::int64_t id) {
  return {id,
          static_cast<std::int64_t>(problem.operation),
          problem.root,
          problem.in_place ? 1 : 0,
          problem.commutative ? 1 : 0,
          problem.unit_bytes};
}

// Of a plan.
engine::PlanKey key_of(const CallBinding& bound, std::int64_t id) {
  engine::PlanKey key = key_of(bound.problem, id);
  key.push_back(bound.unequal ? 1 : 0);
  add_binding(key, bound.input);
  add_binding(key, bound.output);
  return key;
}

} // namespace

CommunicatorPlans::CommunicatorPlans(CommunicatorState& communicator)
    : transport_(communicator.channels()->transport()), batch_(transport_->make_batch()),
      tags_(transport_->tag_limit() - tags_of_learning) {}

void CommunicatorPlans::renew_batch() {
  self_describing_.clear();
  batch_ = transport_->make_batch();
}

void CommunicatorPlans::gather_graph(CommunicatorState& communicator) {
  schedule::Problem problem;
  problem.neighborhoods = neighborhoods(communicator);
  graph_.put_into(problem, communicator, true);
}

CommunicatorPlans::Lookup CommunicatorPlans::plan_for(CallBinding& bound,
                                                      const strategies::Scheduled& scheduled, std::int64_t id,
                                                      CommunicatorState& communicator) {
  const strategies::Strategy& strategy = scheduled.strategy();
  THALWEG_ASSERT(light,
                 bound.problem.ranks == communicator.size && bound.problem.operation == strategy.operation);
  THALWEG_ASSERT(light, transport_->rank() == communicator.rank && communicator.is_open());
  // Neighborhoods' blocks are of one size between neighbors alone, also where each rank's own are.
  const bool passes_on = (bound.unequal || bound.problem.neighborhoods) && !strategy.unequal_blocks;
  if (passes_on && !schedule::has_private_sizes(bound.problem.operation))
    return {nullptr, nullptr, "blocks of unequal sizes, which the strategy does not support"};
  bound.problem.parameters = scheduled.parameters();
  if (strategy.uses_nodes)
    communicator.group().put_places_into(bound.problem);
  if (strategy.uses_graph)
    if (const char* reason = graph_.put_into(bound.problem, communicator, bound.may_wait))
      return {nullptr, nullptr, reason};
  if (strategy.order_matters && bound.problem.parameter(strategies::order_name) != 0)
    bound.problem.orders = communicator.group().orders();
  settle_staging(bound, strategy, transport_->rank());
  const engine::PlanKey key = passes_on ? key_of(bound.problem, id) : key_of(bound, id);
  Lookup known{.plan = plans_.find(key), .self_describing = self_describing_.find(key)};
  if (passes_on ? known.self_describing != nullptr : known.plan != nullptr)
    return known;
  if (const auto why = strategies::unsupported_reason(strategy, bound.problem))
    return {nullptr, nullptr, kept_text(*why)};
  if (strategy.find_phases)
    graph_.put_phases_into(bound.problem, strategy, communicator);
  schedule::Schedule schedule = strategies::build(strategy, bound.problem, transport_->rank());
  Lookup made;
  if (passes_on) {
    made.self_describing = std::make_shared<SelfDescribing>(std::move(schedule));
    self_describing_.insert(key, made.self_describing);
  } else {
    made.plan = prepare(bound, schedule);
    plans_.insert(key, made.plan);
  }
  THALWEG_ASSERT(light, (made.plan != nullptr) != (made.self_describing != nullptr));
  return made;
}

std::shared_ptr<engine::Plan> CommunicatorPlans::prepare(CallBinding& bound,
                                                         const schedule::Schedule& schedule) {
  engine::Layouts layouts;
  layouts.input = bound.input.layout(schedule.pieces);
  layouts.output = bound.output.layout(schedule.pieces);
  layouts.canonical_blocks =
      static_cast<std::int32_t>(schedule::canonical_blocks(bound.problem, schedule.pieces));
  const BufferBinding& own = bound.input.units() > 0 ? bound.input : bound.output;
  if (!bound.unequal) {
    layouts.canonical = engine::Layout::uniform(own.unit_elements(), schedule.pieces, own.element_bytes());
  } else if (!bound.canonical_units.empty()) {
    layouts.canonical = engine::Layout::packed(bound.canonical_units, schedule.pieces, own.element_bytes());
  } else {
    // Strategies that support unequal blocks have no scratch here (proven).
    layouts.canonical = engine::Layout::uniform(0, 1, 1);
    layouts.canonical_blocks = 1;
  }
  engine::Combining combining;
  if (schedule::is_reduction(bound.problem.operation))
    combining = {static_cast<std::size_t>(std::max<std::int64_t>(1, own.element_bytes())),
                 transport_->max_granule()};
  return std::make_shared<engine::Plan>(schedule, layouts, combining);
}

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
  THALWEG_ASSERT(light, plan != nullptr && choice != 0 && !bound.input.needs_staging() &&
                            !bound.output.needs_staging());
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
  THALWEG_ASSERT(light, !is_empty() && plans_ != nullptr);
  auto* output = static_cast<std::byte*>(recvbuf);
  auto* input =
      signature_.in_place ? output + input_offset_ : static_cast<std::byte*>(const_cast<void*>(sendbuf));
  start(*execution_, *plan_, plans_->storage, {.input = input, .output = output}, plans_->next_tags(),
        reduction_);
  run_blocking(*execution_, plans_->transport());
  reduction_.finish();
}

CollectiveCall RecentCall::call() const {
  THALWEG_ASSERT(light, !is_empty());
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

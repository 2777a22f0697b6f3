// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/communicator_plans.hpp"
#include "base/of_process.hpp"

#include <mutex>
#include <set>

#include "job/buffer_use.hpp"
#include "schedule/buffers.hpp"
#include "strategies/order.hpp"

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
      tags_(transport_->tag_limit()) {}

void CommunicatorPlans::renew_batch() {
  self_describing_.clear();
  batch_ = transport_->make_batch();
}

CommunicatorPlans::Found CommunicatorPlans::plan_for(CallBinding& bound,
                                                     const strategies::Scheduled& scheduled, std::int64_t id,
                                                     CommunicatorState& communicator) {
  const strategies::Strategy& strategy = scheduled.strategy();
  const bool passes_on = bound.unequal && !strategy.unequal_blocks;
  if (passes_on && !schedule::has_private_sizes(bound.problem.operation))
    return {nullptr, nullptr, "blocks of unequal sizes, which the strategy does not support"};
  bound.problem.parameters = scheduled.parameters();
  if (strategy.uses_nodes)
    communicator.group().put_places_into(bound.problem);
  if (strategy.order_matters && bound.problem.parameter(strategies::order_name) != 0)
    bound.problem.orders = communicator.group().orders();
  settle_staging(bound, strategy, transport_->rank());
  const engine::PlanKey key = passes_on ? key_of(bound.problem, id) : key_of(bound, id);
  Found known{.plan = plans_.find(key), .self_describing = self_describing_.find(key)};
  if (passes_on ? known.self_describing != nullptr : known.plan != nullptr)
    return known;
  if (const auto why = strategies::unsupported_reason(strategy, bound.problem))
    return {nullptr, nullptr, kept_text(*why)};
  schedule::Schedule schedule = strategies::build(strategy, bound.problem, transport_->rank());
  Found made;
  if (passes_on) {
    made.self_describing = std::make_shared<SelfDescribing>(std::move(schedule));
    self_describing_.insert(key, made.self_describing);
  } else {
    made.plan = prepare(bound, schedule);
    plans_.insert(key, made.plan);
  }
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

} // namespace thalweg::mpi

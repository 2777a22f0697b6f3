#include "mpi/run/communicator_plans.hpp"

#include <mutex>
#include <set>

#include "job/buffer_use.hpp"
#include "mpi/run/run_blocking.hpp"
#include "schedule/buffers.hpp"

namespace thalweg::mpi {

namespace {

void add_binding(job::PlanKey& key, const BufferBinding& binding) {
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

job::PlanKey key_of(const CallBinding& bound, std::int64_t id) {
  job::PlanKey key{id,
                   static_cast<std::int64_t>(bound.problem.operation),
                   bound.problem.root,
                   bound.problem.in_place ? 1 : 0,
                   bound.problem.commutative ? 1 : 0,
                   bound.unequal ? 1 : 0,
                   bound.problem.unit_bytes};
  add_binding(key, bound.input);
  add_binding(key, bound.output);
  return key;
}

} // namespace

CommunicatorPlans::CommunicatorPlans(CommunicatorState& communicator)
    : transport_(communicator.channels->transport()), batch_(transport_->make_batch()),
      tags_(transport_->tag_limit()) {}

CommunicatorPlans::Found CommunicatorPlans::plan_for(CallBinding& bound,
                                                     const strategies::Scheduled& scheduled, std::int64_t id,
                                                     CommunicatorState& communicator, bool blocking) {
  const strategies::Strategy& strategy = scheduled.strategy();
  const bool sizes_first = bound.unequal && !strategy.unequal_blocks;
  if (sizes_first && !schedule::has_private_sizes(bound.problem.operation))
    return {nullptr, "blocks of unequal sizes, which the strategy does not support"};
  if (sizes_first && !blocking)
    return {nullptr, "sizes that would have to be exchanged first in a call that must not wait"};
  bound.problem.parameters = scheduled.parameters();
  if (strategy.uses_nodes) {
    bound.problem.nodes = std::make_shared<const std::vector<std::int32_t>>(communicator.nodes());
    if (!communicator.sockets().empty())
      bound.problem.sockets = std::make_shared<const std::vector<std::int32_t>>(communicator.sockets());
  }
  settle_staging(bound, strategy, transport_->rank());
  const job::PlanKey key = key_of(bound, id);
  // Found sizes are other ranks' business too, who may come with other ones: they are never remembered.
  if (!sizes_first) {
    if (std::shared_ptr<engine::Plan> known = plans_.find(key))
      return {std::move(known), nullptr, true};
  }
  if (const auto why = strategies::unsupported_reason(strategy, bound.problem)) {
    static std::mutex mutex;
    static std::set<std::string> reasons; // they live as long as the process
    const std::scoped_lock lock(mutex);
    return {nullptr, reasons.insert(*why).first->c_str()};
  }
  std::shared_ptr<engine::Plan> plan = prepare(bound, strategy);
  if (!sizes_first)
    plans_.insert(key, plan);
  return {std::move(plan), nullptr, !sizes_first};
}

std::shared_ptr<engine::Plan> CommunicatorPlans::prepare(CallBinding& bound,
                                                         const strategies::Strategy& strategy) {
  const schedule::Schedule schedule = strategies::build(strategy, bound.problem, transport_->rank());
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
    // Strategies that support unequal blocks have no scratch here (proven); the others ask all ranks.
    layouts.canonical =
        strategy.unequal_blocks ? engine::Layout::uniform(0, 1, 1) : find_scratch_sizes(bound, schedule);
    layouts.canonical_blocks = std::max(1, schedule.scratch_blocks);
  }
  engine::Combining combining;
  if (schedule::is_reduction(bound.problem.operation))
    combining = {static_cast<std::size_t>(std::max<std::int64_t>(1, own.element_bytes())),
                 transport_->max_granule()};
  return std::make_shared<engine::Plan>(schedule, layouts, combining);
}

engine::Layout CommunicatorPlans::find_scratch_sizes(const CallBinding& bound,
                                                     const schedule::Schedule& schedule) {
  std::vector<std::int64_t> known(static_cast<std::size_t>(std::max(1, schedule.scratch_blocks)));
  constexpr std::int64_t word = sizeof(std::int64_t);
  engine::Layouts layouts;
  layouts.input = layouts.output = layouts.canonical = engine::Layout::uniform(1, 1, word);
  layouts.canonical_blocks = static_cast<std::int32_t>(known.size());
  const engine::Plan plan(schedule, layouts);
  const auto sizes = [](const BufferBinding& binding) {
    std::vector<std::int64_t> result = binding.counts();
    if (binding.is_uniform())
      result.assign(static_cast<std::size_t>(binding.units()), binding.unit_elements());
    return result;
  };
  std::vector<std::int64_t> input = sizes(bound.input);
  std::vector<std::int64_t> output = sizes(bound.output);
  engine::Execution execution(plan, *batch_);
  execution.start({reinterpret_cast<std::byte*>(input.data()), reinterpret_cast<std::byte*>(output.data()),
                   reinterpret_cast<std::byte*>(known.data()),
                   storage.staging.grow(static_cast<std::size_t>(plan.staging_bytes()))},
                  next_tags(), nullptr);
  run_blocking(execution, *transport_);
  return engine::Layout::packed(known, 1, 1);
}

} // namespace thalweg::mpi

#include "mpi/runner/communicator_plans.hpp"

#include <mutex>
#include <set>

#include "mpi/node_memory.hpp"
#include "mpi/runner/run_blocking.hpp"
#include "mpi/runtime.hpp"
#include "schedule/buffers.hpp"
#include "transport/routed/routed_transport.hpp"
#include "transport/shm/shm_transport.hpp"

namespace thalweg::mpi {

namespace {

// More kinds of calls than this on one communicator, and all its plans are forgotten and made anew.
constexpr std::size_t most_plans = 512;

// The library's functions that are wrapped take handles as they arrive in registers (Handle).
int send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
  return native.Send(buffer, count, type, to, tag, communicator);
}

int receive(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
            MPI_Status* status) {
  return native.Recv(buffer, count, type, from, tag, communicator, status);
}

int exchange(const void* sent, int send_count, MPI_Datatype send_type, int to, int send_tag, void* received,
             int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm communicator,
             MPI_Status* status) {
  return native.Sendrecv(sent, send_count, send_type, to, send_tag, received, receive_count, receive_type,
                         from, receive_tag, communicator, status);
}

const transport::MpiFunctions& transport_functions() {
  static const transport::MpiFunctions functions{native.Isend,
                                                 native.Irecv,
                                                 send,
                                                 receive,
                                                 exchange,
                                                 native.Waitall,
                                                 native.Waitsome,
                                                 native.Testsome,
                                                 native.Testall,
                                                 native.Cancel,
                                                 native.Request_free,
                                                 native.Type_contiguous,
                                                 native.Type_create_struct,
                                                 native.Type_commit,
                                                 native.Type_free,
                                                 MPI_BYTE,
                                                 MPI_REQUEST_NULL};
  return functions;
}

void add_side(std::vector<std::int64_t>& key, const BufferSide& side) {
  key.push_back(side.units());
  key.push_back(side.unit_elements());
  key.push_back(side.element_bytes());
  key.push_back(side.needs_staging() ? 1 : 0);
  key.insert(key.end(), side.counts().begin(), side.counts().end());
  if (!side.needs_staging())
    key.insert(key.end(), side.offsets().begin(), side.offsets().end());
}

// Whether input and output are the same memory for the schedule, and what is copied aside where that would be
// wrong.
void settle_staging(CallBinding& bound, const strategies::Strategy& strategy, Rank rank) {
  // The first rank's buffer of an exclusive scan must stay as it is, whatever the schedule does there.
  if (bound.problem.operation == schedule::Operation::exscan && rank == 0)
    bound.output.stage_always();
  const bool same_memory = bound.in_place && !bound.output.needs_staging() && !bound.input.needs_staging();
  bound.problem.in_place = same_memory && strategy.in_place;
  if (same_memory && !strategy.in_place)
    bound.input.stage_always();
}

// Through memory inside of the node where ranks share some, through the library otherwise.
std::unique_ptr<transport::Transport> make_transport(CommunicatorState& communicator) {
  auto library =
      std::make_unique<transport::MpiTransport>(transport_functions(), communicator.hidden, communicator.rank,
                                                communicator.size, spare_tag(communicator.hidden));
  if (!communicator.node_memory)
    return library;
  const NodeMemory& memory = *communicator.node_memory;
  const auto members = static_cast<std::int32_t>(memory.members.size());
  const Placement& placement = runtime.placement;
  const bool spreads = members == placement.crowded_ranks && runtime.settings.polite != PoliteMode::never;
  const transport::NodeUse use{node_waiting(communicator.hidden), placement.crowded, runtime.has_threads,
                               spreads};
  std::unique_ptr<transport::Transport> shared = transport::make_shm_transport(
      std::shared_ptr<std::byte>(memory.segment, memory.segment->memory()), memory.rank, members, use);
  if (members == communicator.size)
    return shared;
  std::vector<Rank> near_ranks(static_cast<std::size_t>(communicator.size), -1);
  for (Rank member = 0; member < members; ++member)
    near_ranks[static_cast<std::size_t>(memory.members[static_cast<std::size_t>(member)])] = member;
  return transport::make_routed(std::move(shared), std::move(library), std::move(near_ranks), use.waiting);
}

// The hidden duplicate lives as long as what goes over it.
std::shared_ptr<transport::Transport> keeping(std::shared_ptr<void> hidden,
                                              std::unique_ptr<transport::Transport> transport) {
  transport::Transport* const kept = transport.release();
  return {kept, [hidden = std::move(hidden)](transport::Transport* ended) { delete ended; }};
}

std::vector<std::int64_t> key_of(const CallBinding& bound, const Choice& choice) {
  std::vector<std::int64_t> key{choice.id,
                                static_cast<std::int64_t>(bound.problem.operation),
                                bound.problem.root,
                                bound.problem.in_place ? 1 : 0,
                                bound.problem.commutative ? 1 : 0,
                                bound.unequal ? 1 : 0,
                                bound.problem.unit_bytes};
  add_side(key, bound.input);
  add_side(key, bound.output);
  return key;
}

} // namespace

std::size_t CommunicatorPlans::KeyHash::operator()(const std::vector<std::int64_t>& key) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  for (const std::int64_t word : key)
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0xff51afd7ed558ccdU, hash ^= hash >> 32;
  return hash;
}

CommunicatorPlans::CommunicatorPlans(CommunicatorState& communicator)
    : transport_(keeping(communicator.hidden_life, make_transport(communicator))),
      batch_(transport_->make_batch()), tags_(transport_->tag_limit()) {}

CommunicatorPlans::Found CommunicatorPlans::plan_for(CallBinding& bound, const Choice& choice,
                                                     CommunicatorState& communicator, bool blocking) {
  const strategies::Strategy& strategy = *choice.strategy;
  const bool sizes_first = bound.unequal && !strategy.unequal_blocks;
  if (sizes_first && !schedule::has_private_sizes(bound.problem.operation))
    return {nullptr, "blocks of unequal sizes, which the strategy does not bear"};
  if (sizes_first && !blocking)
    return {nullptr, "sizes that would have to be exchanged first in a call that must not wait"};
  bound.problem.parameters = choice.parameters;
  if (strategy.uses_nodes) {
    bound.problem.nodes = std::make_shared<const std::vector<std::int32_t>>(communicator.nodes());
    if (!communicator.sockets().empty())
      bound.problem.sockets = std::make_shared<const std::vector<std::int32_t>>(communicator.sockets());
  }
  settle_staging(bound, strategy, transport_->rank());
  const std::vector<std::int64_t> key = key_of(bound, choice);
  // Found sizes are other ranks' business too, who may come with other ones: they are never remembered.
  if (!sizes_first) {
    const auto known = plans_.find(key);
    if (known != plans_.end())
      return {known->second, nullptr};
  }
  if (const auto why = strategies::refusal(strategy, bound.problem)) {
    static std::mutex mutex;
    static std::set<std::string> reasons; // they live as long as the process
    const std::scoped_lock lock(mutex);
    return {nullptr, reasons.insert(*why).first->c_str()};
  }
  std::shared_ptr<engine::Plan> plan = prepare(bound, choice);
  if (!sizes_first) {
    if (plans_.size() >= most_plans)
      plans_.clear();
    plans_.emplace(key, plan);
  }
  return {std::move(plan), nullptr};
}

std::shared_ptr<engine::Plan> CommunicatorPlans::prepare(CallBinding& bound, const Choice& choice) {
  const schedule::Schedule schedule = strategies::build(*choice.strategy, bound.problem, transport_->rank());
  engine::Layouts layouts;
  layouts.input = bound.input.layout(schedule.pieces);
  layouts.output = bound.output.layout(schedule.pieces);
  layouts.canonical_blocks =
      static_cast<std::int32_t>(schedule::canonical_blocks(bound.problem, schedule.pieces));
  const BufferSide& own = bound.input.units() > 0 ? bound.input : bound.output;
  if (!bound.unequal) {
    layouts.canonical = engine::Layout::uniform(own.unit_elements(), schedule.pieces, own.element_bytes());
  } else if (!bound.canonical_units.empty()) {
    layouts.canonical = engine::Layout::packed(bound.canonical_units, schedule.pieces, own.element_bytes());
  } else {
    // Strategies that bear unequal blocks have no scratch here (proven); the others ask all ranks.
    layouts.canonical = choice.strategy->unequal_blocks ? engine::Layout::uniform(0, 1, 1)
                                                        : find_scratch_sizes(bound, schedule);
    layouts.canonical_blocks = std::max(1, schedule.scratch_blocks);
  }
  engine::Combining combining;
  if (schedule::is_reduction(bound.problem.operation))
    combining = {static_cast<std::size_t>(std::max<std::int64_t>(1, own.element_bytes())),
                 transport_->most_granule()};
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
  const auto sizes = [](const BufferSide& side) {
    std::vector<std::int64_t> result = side.counts();
    if (side.is_uniform())
      result.assign(static_cast<std::size_t>(side.units()), side.unit_elements());
    return result;
  };
  std::vector<std::int64_t> input = sizes(bound.input);
  std::vector<std::int64_t> output = sizes(bound.output);
  engine::Execution execution(plan, *batch_);
  execution.start({reinterpret_cast<std::byte*>(input.data()), reinterpret_cast<std::byte*>(output.data()),
                   reinterpret_cast<std::byte*>(known.data()),
                   rows.staging.grow(static_cast<std::size_t>(plan.staging_bytes()))},
                  next_tags(), nullptr);
  run_blocking(execution, *transport_);
  return engine::Layout::packed(known, 1, 1);
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm/communicators.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/comm/opening.hpp"
#include "mpi/comm/own_communicators.hpp"
#include "mpi/observe/reasons.hpp"
#include "mpi/observe/samples.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"
#include "transport/mpi/communicator_group.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace thalweg::mpi {

namespace {

// What is kept of communicators that the program has freed: when this rank was in some of their calls.
// Programs free them by the ten thousand, so it is kept of a few only: those with the most calls, which are
// the same on all ranks.
struct ClosedCommunicator {
  int size = 0;
  int rank = 0;
  observe::SampleStore samples;
};

class ClosedCommunicators {
public:
  static constexpr std::size_t max_kept = 256;

  // `calls` and `id` are equal on all ranks of the communicator.
  void add(std::uint64_t calls, std::uint64_t id, ClosedCommunicator closed) {
    kept_.try_emplace({calls, id}, std::move(closed));
    if (kept_.size() > max_kept)
      kept_.erase(kept_.begin());
  }

  // Calls `visit(id, closed)` for each.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, closed] : kept_)
      visit(key.second, closed);
  }

private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, ClosedCommunicator> kept_;
};

struct Registry {
  std::mutex mutex;
  std::unordered_map<MPI_Comm, std::shared_ptr<CommunicatorState>> states;
  ClosedCommunicators closed;
  std::unordered_map<std::uint64_t, std::uint32_t> made; // without a parent; see CommunicatorState::made
  int keyval = MPI_KEYVAL_INVALID;
  bool opens_for_starts = false;
};

Registry& registry() {
  return of_process<Registry>();
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29);
}

// A hash of the group's ranks in MPI_COMM_WORLD, in order; 0 when it has others, or there is no such
// communicator.
std::uint64_t members_hash(MPI_Group group) {
  std::uint64_t hash = 1;
  for (const int rank : world_ranks_of(group)) {
    if (rank == MPI_UNDEFINED) {
      return 0;
    }
    hash = mix(hash, static_cast<std::uint64_t>(rank) + 1);
  }
  return hash;
}

std::uint64_t members_hash(const CommunicatorState& state) {
  if (!runtime.world.is_begun || !runtime.world.agreed) {
    return 0;
  }
  std::uint64_t hash = members_hash(transport::CommunicatorGroup(library_api(), state.handle).get());
  if (state.inter && hash != 0) {
    MPI_Group group{};
    native.Comm_remote_group(state.handle, &group);
    const std::uint64_t remote = members_hash(group);
    native.Group_free(&group);
    hash = remote == 0 ? 0 : hash + remote; // the same seen from either side
  }
  return hash;
}

void close_channels(CommunicatorState& state) {
  if (state.is_open())
    drop_shadow(state.group().close());
}

int keep_no_copy(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int communicator_freed(MPI_Comm comm, int, void*, void*) {
  if (process.interposer.load(std::memory_order_relaxed) == InterposerState::bypass) {
    return MPI_SUCCESS;
  }
  const Inside inside;
  if (runtime.world.is_begun && comm == MPI_COMM_SELF && process.hooks.before_finalize != nullptr) {
    process.hooks.before_finalize(); // MPI_Finalize begins with freeing MPI_COMM_SELF
    if (process.hooks.after_program != nullptr)
      process.hooks.after_program(); // our attribute was there first, so the program's are gone
    close_own_communicator();
    close_shadow_base();
    if (process.interposer.load() == InterposerState::paused) { // and its own entry point passed the call on
      process.interposer.store(InterposerState::bypass);
    }
  }
  std::shared_ptr<CommunicatorState> state;
  {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.states.find(comm);
    if (entry == all.states.end()) {
      return MPI_SUCCESS;
    }
    state = std::move(entry->second);
    all.states.erase(entry);
    process.counts.communicator_removals.fetch_add(1, std::memory_order_relaxed);
    invalidate_fast_path();
  }
  THALWEG_ASSERT(light, state->handle == comm);
  state->learning.reset();
  state->runner.reset();
  close_channels(*state);
  if (state->agreed && !state->samples.samples().empty()) {
    const std::lock_guard lock(registry().mutex);
    registry().closed.add(state->blocking_calls, state->id,
                          {state->size, state->rank, std::move(state->samples)});
  }
  return MPI_SUCCESS;
}

std::shared_ptr<CommunicatorState> describe(MPI_Comm comm) {
  auto state = std::make_shared<CommunicatorState>();
  state->handle = comm;
  native.Comm_rank(comm, &state->rank);
  native.Comm_size(comm, &state->size);
  int inter = 0;
  native.Comm_test_inter(comm, &inter);
  state->inter = inter != 0;
  if (state->inter) {
    native.Comm_remote_size(comm, &state->remote_size);
  }
  return state;
}

// Why the communicator can have no channels, or nullptr.
const char* objection_to_channels(const CommunicatorState& state) {
  if (state.inter)
    return "intercommunicator";
  if (!state.agreed)
    return "communicator reaches beyond MPI_COMM_WORLD";
  return state.size == 1 ? "one rank" : nullptr;
}

job::ChannelOptions channel_options(const job::RankGroup& group) {
  const job::Placement& placement = runtime.world.placement;
  const std::vector<int>& nodes = *group.nodes();
  const int own = nodes[static_cast<std::size_t>(group.rank())];
  THALWEG_ASSERT(light, own >= 0 && own < group.node_count() && group.node_count() <= placement.node_count);
  const bool is_all_that_runs = std::ranges::count(nodes, own) == placement.oversubscribed_ranks;
  return {.waiting = runtime.settings.waiting,
          .oversubscribed = placement.oversubscribed,
          .shared_memory = runtime.settings.shared_memory,
          .threaded = runtime.wait.has_threads,
          .balances_cores = is_all_that_runs && runtime.settings.wait_mode != WaitMode::spin,
          .progress = [] { progress_in_wait(); }};
}

void note_shared_memory(const job::Channels& channels) {
  SharedMemory& note = runtime.notes.shared_memory;
  if (!note.was_tried && (channels.has_shared_memory() || !channels.why_no_memory().empty()))
    note = {.was_tried = true, .is_used = channels.has_shared_memory(), .why_not = channels.why_no_memory()};
}

void open_channels(CommunicatorState& state) {
  THALWEG_ASSERT(light, !state.is_open());
  state.why_no_channels = objection_to_channels(state);
  if (state.why_no_channels != nullptr)
    return;
  const Shadow made = make_shadow(state.handle, state.id);
  state.why_no_channels = made.why_none;
  if (!made.communicator)
    return;
  job::RankGroup& group = state.group();
  group.open(library_api(), made.communicator, channel_options(group));
  note_shared_memory(group.channels());
}

enum class Making { together, alone };

// Programs make communicators by the thousand for a few calls on each, and channels with their memory take as
// long as dozens of calls.
constexpr std::uint32_t calls_before_channels = 8;
constexpr const char* postponed = "one of the first calls on its communicator";

// Nonblocking calls, which may run on strategies that the user chose, cannot make them themselves; and those
// of a communicator that has picks for such calls, or of which something is to be learned, may be all that it
// has. Of its kind, it is one of `made` so far: who makes more of a kind makes them for a few calls.
bool may_postpone(CommunicatorState& state, std::uint32_t made) {
  constexpr std::uint32_t opened_at_once = 16;
  if (state.handle == runtime.world.communicator || !runtime.settings.use.empty())
    return false;
  if (made > opened_at_once || !state.agreed || state.inter)
    return true;
  if (registry().opens_for_starts)
    return false;
  return std::ranges::none_of(runtime.nonblocking_shapes, [&](const auto& shape) {
    return shape.first == state.size && shape.second == state.group().node_count();
  });
}

CommunicatorState* add(MPI_Comm comm, MPI_Comm parent, std::uint64_t tag, Making making) {
  std::shared_ptr<CommunicatorState> state = describe(comm);
  const std::uint64_t members = members_hash(*state);
  state->agreed = members != 0;
  if (process.observation.messages || process.observation.traces)
    state->find_world_ranks();
  CommunicatorState* const family = parent == MPI_COMM_NULL ? nullptr : find_communicator(parent);
  const std::uint64_t id = mix(mix(mix(members, tag), family == nullptr ? 0 : family->id),
                               static_cast<std::uint64_t>(making == Making::together));
  Registry& all = registry();
  std::uint32_t made = 0;
  {
    const std::lock_guard lock(all.mutex);
    made = ++(family == nullptr ? all.made : family->made)[id];
    state->id = mix(id, made);
  }
  if (making == Making::together && (runtime.chooses_strategies || all.opens_for_starts)) {
    if (may_postpone(*state, made))
      state->why_no_channels = runtime.chooses_strategies ? postponed : observe::nothing_chosen;
    else
      open_channels(*state);
  } else if (making == Making::together) {
    state->why_no_channels = observe::nothing_chosen;
  } else {
    state->why_no_channels = "communicator was not made in a blocking call";
  }
  CommunicatorState* result = nullptr;
  {
    const std::lock_guard lock(all.mutex);
    auto& place = all.states[comm];
    if (place && making == Making::alone) {
      return place.get(); // a second thread was faster
    }
    if (place) {
      process.counts.communicator_removals.fetch_add(1, std::memory_order_relaxed);
      invalidate_fast_path();
    }
    place = std::move(state);
    result = place.get();
  }
  native.Comm_set_attr(comm, all.keyval, result);
  return result;
}

// Whether any communicator may come to need channels: the same on all ranks.
bool may_open_channels() {
  const bool numbers_anew = runtime.settings.reorder && runtime.world.placement.node_count > 1;
  return runtime.chooses_strategies || runtime.learns || numbers_anew;
}

} // namespace

void open_channels_for_starts() {
  registry().opens_for_starts = true;
}

bool open_channels_now(CommunicatorState& state) {
  if (!state.is_open())
    open_channels(state);
  return state.is_open();
}

void open_postponed_channels(CommunicatorState& state) {
  if (state.why_no_channels != postponed || ++state.calls_postponed < calls_before_channels)
    return;
  barrier_before_creation(state.handle);
  open_channels(state);
}

void barrier_before_creation(MPI_Comm comm) {
  const CommunicatorState* communicator = find_communicator(comm);
  if (!runtime.wait.polls_collectives || communicator == nullptr || !communicator->agreed ||
      communicator->inter) {
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  if (native.Ibarrier(comm, &request) == MPI_SUCCESS) {
    poll_request(&request, MPI_STATUS_IGNORE);
  }
}

CommunicatorState* look_up_communicator(MPI_Comm comm) {
  const std::uint32_t now = process.counts.communicator_removals.load(std::memory_order_relaxed);
  if (comm == MPI_COMM_NULL) {
    return nullptr;
  }
  CommunicatorState* state = nullptr;
  {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.states.find(comm);
    state = entry == all.states.end() ? nullptr : entry->second.get();
    THALWEG_ASSERT(normal, state == nullptr || state->handle == comm);
  }
  if (state == nullptr) {
    const Inside inside;
    if (!is_communicator(comm))
      return nullptr; // a handle of nothing, or of what was freed
    state = add(comm, MPI_COMM_NULL, 0, Making::alone);
  }
  PerThread<RememberedCommunicators>::own()[memory_place(comm)] = {comm, now, state};
  return state;
}

void communicator_made(MPI_Comm comm, MPI_Comm parent, std::uint64_t tag) {
  if (comm != MPI_COMM_NULL && runtime.ready) {
    add(comm, parent, tag, Making::together);
  }
}

void register_predefined_communicators(bool collective) {
  Registry& all = registry();
  if (all.keyval == MPI_KEYVAL_INVALID) {
    native.Comm_create_keyval(keep_no_copy, communicator_freed, &all.keyval, nullptr);
  }
  if (runtime.world.is_begun) {
    open_own_communicator();
    if (collective && may_open_channels())
      open_shadow_base();
    add(runtime.world.communicator, MPI_COMM_NULL, 0, collective ? Making::together : Making::alone);
    add(MPI_COMM_SELF, MPI_COMM_NULL, 1, Making::together);
  }
}

std::vector<CommunicatorState*> living_communicators() {
  std::vector<CommunicatorState*> result;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (const auto& [handle, state] : all.states)
    result.push_back(state.get());
  return result;
}

std::vector<CommunicatorSamples> all_samples() {
  std::vector<CommunicatorSamples> result;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (const auto& [handle, state] : all.states) {
    if (state->agreed && !state->samples.samples().empty()) {
      result.push_back({state->id, state->size, state->rank, &state->samples});
    }
  }
  all.closed.for_each([&](std::uint64_t id, const ClosedCommunicator& closed) {
    result.push_back({id, closed.size, closed.rank, &closed.samples});
  });
  return result;
}

} // namespace thalweg::mpi

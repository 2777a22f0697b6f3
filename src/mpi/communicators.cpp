#include "mpi/communicators.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <span>
#include <unordered_map>

#include "mpi/gate.hpp"
#include "mpi/known_calls.hpp"
#include "mpi/polling.hpp"
#include "mpi/runtime.hpp"

namespace thalweg::mpi {

namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<MPI_Comm, std::unique_ptr<CommunicatorState>> states;
  std::vector<std::unique_ptr<CommunicatorState>> closed; // freed by the program, kept for their samples
  std::unordered_map<std::uint64_t, std::uint32_t> made;  // how many of each kind, so that ids differ
  int keyval = MPI_KEYVAL_INVALID;
};

// Never destroyed: callbacks may come while the process ends.
Registry& registry() {
  static Registry* const instance = new Registry;
  return *instance;
}

// Raised when a handle may have become another communicator's; makes every thread forget what it remembers.
constinit std::atomic<std::uint32_t> removals{0};

struct Remembered {
  MPI_Comm handle{};
  std::uint32_t removals = 0;
  CommunicatorState* state = nullptr;
};
constinit thread_local std::array<Remembered, 8> remembered{};

Remembered& memory_of(MPI_Comm comm) {
  const auto bits = static_cast<std::uint64_t>((std::uintptr_t)(comm)) * 0x9E3779B97F4A7C15U;
  return remembered[bits >> 61];
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29);
}

// A hash of the group's ranks in MPI_COMM_WORLD, in order; 0 when it has others, or there is no such
// communicator.
std::uint64_t members_hash(MPI_Group group) {
  int size = 0;
  native.Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) {
    ranks[static_cast<std::size_t>(rank)] = rank;
  }
  std::vector<int> world(ranks.size());
  native.Group_translate_ranks(group, size, ranks.data(), runtime.world_group, world.data());
  std::uint64_t hash = 1;
  for (const int rank : world) {
    if (rank == MPI_UNDEFINED) {
      return 0;
    }
    hash = mix(hash, static_cast<std::uint64_t>(rank) + 1);
  }
  return hash;
}

std::uint64_t members_hash(const CommunicatorState& state) {
  if (!runtime.has_world || !runtime.agreed) {
    return 0;
  }
  MPI_Group group{};
  native.Comm_group(state.handle, &group);
  std::uint64_t hash = members_hash(group);
  native.Group_free(&group);
  if (state.inter && hash != 0) {
    native.Comm_remote_group(state.handle, &group);
    const std::uint64_t remote = members_hash(group);
    native.Group_free(&group);
    hash = remote == 0 ? 0 : hash + remote; // the same seen from either side
  }
  return hash;
}

int keep_no_copy(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int communicator_freed(MPI_Comm comm, int, void*, void*) {
  if (standing.load(std::memory_order_relaxed) == Standing::bypass) {
    return MPI_SUCCESS;
  }
  const Inside inside;
  if (runtime.has_world && comm == MPI_COMM_SELF) {
    finish();                                  // MPI_Finalize begins with freeing MPI_COMM_SELF
    if (standing.load() == Standing::paused) { // and its own entry point passed the call on
      standing.store(Standing::bypass);
    }
  }
  std::unique_ptr<CommunicatorState> state;
  {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.states.find(comm);
    if (entry == all.states.end()) {
      return MPI_SUCCESS;
    }
    state = std::move(entry->second);
    all.states.erase(entry);
    removals.fetch_add(1, std::memory_order_relaxed);
    forget_known_calls();
  }
  state->learning.reset();
  state->runner.reset();
  state->hidden = MPI_COMM_NULL;
  state->hidden_life.reset();
  if (!state->samples.samples().empty()) {
    const std::lock_guard lock(registry().mutex);
    registry().closed.push_back(std::move(state));
  }
  return MPI_SUCCESS;
}

std::unique_ptr<CommunicatorState> describe(MPI_Comm comm) {
  auto state = std::make_unique<CommunicatorState>();
  state->handle = comm;
  state->hidden = MPI_COMM_NULL;
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

// Why the communicator can have no hidden duplicate, or nullptr.
const char* objection_to_hidden(const CommunicatorState& state) {
  if (state.inter)
    return "intercommunicator";
  if (!state.agreed)
    return "communicator reaches beyond MPI_COMM_WORLD";
  return state.size == 1 ? "one rank" : nullptr;
}

// A duplicate that copies no attributes, since copying calls the program's callbacks.
void make_hidden(CommunicatorState& state) {
  state.hidden_reason = objection_to_hidden(state);
  if (state.hidden_reason != nullptr)
    return;
  MPI_Group group{};
  native.Comm_group(state.handle, &group);
  if (native.Comm_create(state.handle, group, &state.hidden) != MPI_SUCCESS) {
    state.hidden = MPI_COMM_NULL;
    state.hidden_reason = "its duplicate could not be made";
  } else {
    native.Comm_set_errhandler(state.hidden, MPI_ERRORS_RETURN);
    state.hidden_life =
        std::shared_ptr<void>(nullptr, [hidden = state.hidden](void*) mutable { native.Comm_free(&hidden); });
    state.node_memory = share_node_memory(state);
  }
  native.Group_free(&group);
}

enum class Making { together, alone };

// Programs make communicators by the thousand for a few calls on each, and a duplicate with its memory takes
// as long as dozens of calls.
constexpr std::uint32_t calls_before_hidden = 8;
constexpr const char* put_off = "one of the first calls on its communicator";

// Nonblocking calls, which may run on strategies that the user chose, cannot make it themselves.
bool may_put_off(MPI_Comm comm) {
  return comm != MPI_COMM_WORLD && runtime.settings.use.empty();
}

CommunicatorState* add(MPI_Comm comm, MPI_Comm parent, std::uint64_t tag, Making making) {
  std::unique_ptr<CommunicatorState> state = describe(comm);
  const std::uint64_t members = members_hash(*state);
  state->agreed = members != 0;
  if (making == Making::together && runtime.chooses_strategies) {
    if (may_put_off(comm))
      state->hidden_reason = put_off;
    else
      make_hidden(*state);
  } else if (making == Making::together) {
    state->hidden_reason = "no strategy chosen";
  } else {
    state->hidden_reason = "communicator was not made in a blocking call";
  }
  const CommunicatorState* family = parent == MPI_COMM_NULL ? nullptr : find_communicator(parent);
  std::uint64_t id = mix(mix(mix(members, tag), family == nullptr ? 0 : family->id),
                         static_cast<std::uint64_t>(making == Making::together));
  Registry& all = registry();
  CommunicatorState* result = nullptr;
  {
    const std::lock_guard lock(all.mutex);
    state->id = mix(id, ++all.made[id]);
    auto& place = all.states[comm];
    if (place && making == Making::alone) {
      return place.get(); // a second thread was faster
    }
    if (place) {
      removals.fetch_add(1, std::memory_order_relaxed);
      forget_known_calls();
    }
    place = std::move(state);
    result = place.get();
  }
  native.Comm_set_attr(comm, all.keyval, result);
  return result;
}

} // namespace

bool make_hidden_now(CommunicatorState& state) {
  if (state.hidden == MPI_COMM_NULL)
    make_hidden(state);
  return state.hidden != MPI_COMM_NULL;
}

void earn_hidden(CommunicatorState& state) {
  if (state.hidden_reason != put_off || ++state.calls_put_off < calls_before_hidden)
    return;
  meet_before_constructing(state.handle);
  make_hidden(state);
}

int spare_tag(MPI_Comm communicator) {
  void* value = nullptr;
  int found = 0;
  native.Comm_get_attr(communicator, MPI_TAG_UB, static_cast<void*>(&value), &found);
  return found != 0 ? *static_cast<int*>(value) : 32767;
}

CommunicatorState* find_communicator(MPI_Comm comm) {
  Remembered& memory = memory_of(comm);
  const std::uint32_t now = removals.load(std::memory_order_relaxed);
  if (memory.handle == comm && memory.removals == now && memory.state != nullptr) [[likely]] {
    return memory.state;
  }
  if (comm == MPI_COMM_NULL) {
    return nullptr;
  }
  CommunicatorState* state = nullptr;
  {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.states.find(comm);
    state = entry == all.states.end() ? nullptr : entry->second.get();
  }
  if (state == nullptr) {
    const Inside inside;
    state = add(comm, MPI_COMM_NULL, 0, Making::alone);
  }
  memory = {comm, now, state};
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
  if (runtime.has_world) {
    add(MPI_COMM_WORLD, MPI_COMM_NULL, 0, collective ? Making::together : Making::alone);
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
  const auto collect = [&result](const CommunicatorState& state) {
    if (state.agreed && !state.samples.samples().empty()) {
      result.push_back({state.id, state.size, state.rank, &state.samples});
    }
  };
  for (const auto& [handle, state] : all.states) {
    collect(*state);
  }
  for (const auto& state : all.closed) {
    collect(*state);
  }
  return result;
}

namespace {

// The entries of `of_world` for these ranks, numbered anew in order of first appearance.
std::vector<int> renumbered(const std::vector<int>& of_world, std::span<const int> ranks) {
  std::unordered_map<int, int> names;
  std::vector<int> found;
  for (const int rank : ranks) {
    const int name = of_world[static_cast<std::size_t>(rank)];
    found.push_back(names.try_emplace(name, static_cast<int>(names.size())).first->second);
  }
  return found;
}

} // namespace

void CommunicatorState::find_places() {
  if (!nodes_.empty() || !agreed || inter) {
    return;
  }
  const Inside inside;
  MPI_Group group{};
  native.Comm_group(handle, &group);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world(ranks.size());
  native.Group_translate_ranks(group, size, ranks.data(), runtime.world_group, world.data());
  native.Group_free(&group);
  nodes_ = renumbered(runtime.placement.nodes, world);
  if (runtime.placement.sockets.empty()) {
    return;
  }
  sockets_ = renumbered(runtime.placement.sockets, world);
  if (std::ranges::max(sockets_) == std::ranges::max(nodes_)) {
    sockets_.clear();
  }
}

const std::vector<int>& CommunicatorState::nodes() {
  find_places();
  return nodes_;
}

const std::vector<int>& CommunicatorState::sockets() {
  find_places();
  return sockets_;
}

int CommunicatorState::node_count() {
  if (node_count_ == 0)
    node_count_ = *std::ranges::max_element(nodes()) + 1;
  return node_count_;
}

void CommunicatorState::find_degrees() {
  const Inside inside;
  int topology = MPI_UNDEFINED;
  native.Topo_test(handle, &topology);
  indegree_ = 0;
  if (topology == MPI_CART) {
    int dimensions = 0;
    native.Cartdim_get(handle, &dimensions);
    indegree_ = 2 * dimensions;
  } else if (topology == MPI_GRAPH) {
    native.Graph_neighbors_count(handle, rank, &indegree_);
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    native.Dist_graph_neighbors_count(handle, &indegree_, &outdegree_, &weighted);
    return;
  }
  outdegree_ = indegree_;
}

int CommunicatorState::indegree() {
  if (indegree_ < 0) {
    find_degrees();
  }
  return indegree_;
}

int CommunicatorState::outdegree() {
  if (indegree_ < 0) {
    find_degrees();
  }
  return outdegree_;
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/record/collectives.hpp"
#include "base/of_process.hpp"

#include <map>
#include <mutex>

#include "mpi/call/call_signature.hpp"
#include "mpi/call/sides.hpp"
#include "mpi/observe/pattern_phases.hpp"
#include "mpi/record/library_model.hpp"
#include "mpi/record/messages.hpp"

namespace thalweg::mpi {

namespace {

constexpr const char* by_schedule = "schedule";
// Calls with rows of counts are kept up to so many peers; beyond, as where counts always differ, each is
// added at once.
constexpr std::size_t peers_with_counts_max = std::size_t{1} << 16;

// Calls that send the same.
struct CountedKey {
  const observe::CallRow* row;
  std::uint32_t phase;
  std::uint64_t communicator; // its id
  std::int64_t choice;        // 0: the library
  int root;
  std::uint64_t bytes;
  std::uint64_t arrays; // a hash of its counts and displacements

  auto operator<=>(const CountedKey&) const = default;
};

struct CountedCalls {
  std::uint64_t calls = 0;
  const char* by = nullptr;
  std::vector<observe::PeerTraffic> peers; // ranks of the world
};

struct CountedCollectives {
  std::mutex mutex;
  std::map<CountedKey, CountedCalls> calls; // whose entries stay where they are
  std::size_t peers_with_counts = 0;
};

CountedCollectives& counted_collectives() {
  return of_process<CountedCollectives>();
}

// What one call sends: as it was run, or as it is taken to be.
CountedCalls traffic_of_one(const CollectiveCall& call, CommunicatorState& communicator, std::uint64_t bytes,
                            const engine::Plan* plan) {
  ModelTraffic traffic = plan != nullptr ? ModelTraffic{by_schedule, sent_by(*plan)}
                                         : library_traffic(call, communicator, bytes);
  for (observe::PeerTraffic& peer : traffic.peers)
    peer.peer = communicator.world_rank_of(peer.peer);
  std::erase_if(traffic.peers, [](const observe::PeerTraffic& peer) { return peer.peer < 0; });
  return {0, traffic.by, std::move(traffic.peers)};
}

void add(const observe::CallRow& row, std::uint32_t pattern_phase, const CountedCalls& counted,
         std::uint64_t calls) {
  for (const observe::PeerTraffic& peer : counted.peers)
    observe::traffic_table().add({&row, counted.by, peer.peer, pattern_phase}, peer.bytes * calls,
                                 peer.messages * calls);
}

// Has the call a row of counts by rank, which tells with its signature all that is sent?
bool sends_by_counts(const CollectiveCall& call, const CommunicatorState& communicator) {
  const Operation operation = call.function->operation;
  return !communicator.inter && !is_among_neighbors(operation) && operation != Operation::alltoallw;
}

std::uint64_t hash_of_arrays(const CollectiveCall& call, const CommunicatorState& communicator) {
  return communicator.inter ? 0
                            : hash_of(arrays_of(call), array_sides(call, communicator.rank),
                                      static_cast<std::size_t>(communicator.size));
}

} // namespace

std::uint64_t* record_collective(const CollectiveCall& call, CommunicatorState& communicator,
                                 const observe::CallRow& row, const engine::Plan* plan, std::int64_t choice) {
  static thread_local std::uint64_t uncounted = 0;
  if (!communicator.agreed || communicator.size + communicator.remote_size == 1)
    return &uncounted;
  const std::uint64_t bytes = payload_bytes(call, communicator);
  const std::uint32_t pattern_phase = observe::pattern_phase;
  if (call.function->mode == Mode::persistent) {
    CountedCalls counted = traffic_of_one(call, communicator, bytes, plan);
    record_persistent(row, counted.by, std::move(counted.peers), *call.request);
    return nullptr;
  }
  const CountedKey key{&row,
                       pattern_phase,
                       communicator.id,
                       plan == nullptr ? 0 : choice,
                       call.root,
                       bytes,
                       hash_of_arrays(call, communicator)};
  CountedCollectives& all = counted_collectives();
  const std::lock_guard lock(all.mutex);
  auto entry = all.calls.find(key);
  if (entry == all.calls.end()) {
    CountedCalls counted = traffic_of_one(call, communicator, bytes, plan);
    if (!operation_shape(call.function->operation).are_sizes_agreed) {
      const std::size_t peers = all.peers_with_counts + counted.peers.size() + 1;
      if (!sends_by_counts(call, communicator) || peers > peers_with_counts_max) {
        add(row, pattern_phase, counted, 1);
        return nullptr;
      }
      all.peers_with_counts = peers;
    }
    entry = all.calls.emplace(key, std::move(counted)).first;
  }
  ++entry->second.calls;
  return &entry->second.calls;
}

void add_counted_collectives() {
  CountedCollectives& all = counted_collectives();
  const std::lock_guard lock(all.mutex);
  for (const auto& [key, counted] : all.calls)
    add(*key.row, key.phase, counted, counted.calls);
  all.calls.clear();
}

} // namespace thalweg::mpi

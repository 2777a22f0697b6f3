// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/record/collectives.hpp"

#include "base/of_process.hpp"
#include "engine/plan.hpp"
#include "mpi/abi/families/family.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/call/sides.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/traffic_table.hpp"
#include "mpi/record/messages.hpp"
#include "mpi/run/neighbors.hpp"
#include "strategies/index.hpp"
#include "strategies/likely.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace thalweg::mpi {

namespace {

// What the library's own collectives are taken to send, as they cannot be looked into. Peers are ranks of the
// communicator: of the other group, where there is one.
struct ModelTraffic {
  const char* by; // pattern::Site::by
  std::vector<observe::PeerTraffic> peers;
};

using observe::PeerTraffic;

constexpr strategies::MpiLibrary own_library =
    own_family == Family::openmpi ? strategies::MpiLibrary::open_mpi : strategies::MpiLibrary::mpich;
constexpr const char* by_direct = "direct";
constexpr const char* by_leaders = "like:leaders";

// What a plan sends.
std::vector<PeerTraffic> sent_by(const engine::Plan& plan) {
  std::vector<PeerTraffic> peers;
  for (const engine::PlanStep& step : plan.steps()) {
    if (step.kind != schedule::StepKind::send || step.idle)
      continue;
    const auto known = std::ranges::find(peers, step.peer, &PeerTraffic::peer);
    PeerTraffic& traffic = known == peers.end() ? peers.emplace_back(PeerTraffic{step.peer}) : *known;
    traffic.bytes += static_cast<std::uint64_t>(step.bytes);
    ++traffic.messages;
  }
  return peers;
}

const char* by_likeness(const char* strategy) {
  return kept_text(fmt::format("like:{}", strategy));
}

ModelTraffic traffic_like(const CollectiveCall& call, const CommunicatorState& communicator,
                          std::uint64_t bytes) {
  schedule::Problem problem;
  problem.operation = schedule_operation(call.function->operation);
  problem.ranks = communicator.size;
  problem.root = call.root;
  const std::uint64_t unit = sides_of(call, ranks_of(communicator)).unit_bytes();
  problem.unit_bytes = static_cast<std::int64_t>(unit);
  const char* const name =
      call.function->operation == Operation::allgatherv
          ? strategies::likely_allgatherv(unit, communicator.size, own_library)
          : strategies::likely_strategy(problem.operation, bytes, communicator.size, own_library);
  const strategies::Strategy& strategy = strategies::find(problem.operation, name);
  problem.parameters = strategies::resolve(strategy, {});
  if (strategies::unsupported_reason(strategy, problem))
    return {by_likeness(name), {}};
  const schedule::Schedule schedule = strategies::build(strategy, problem, communicator.rank);
  const engine::Plan plan(schedule, engine::uniform_layouts(problem, schedule.pieces, problem.unit_bytes, 1));
  return {by_likeness(name), sent_by(plan)};
}

void append_message(std::vector<PeerTraffic>& peers, int peer, std::uint64_t bytes) {
  if (bytes > 0)
    peers.push_back({peer, bytes, 1});
}

std::vector<PeerTraffic> to_neighbors(const CollectiveCall& call, CommunicatorState& communicator) {
  std::vector<PeerTraffic> peers;
  const auto all = neighborhoods(communicator);
  const std::vector<Rank>& destinations = (*all)[static_cast<std::size_t>(communicator.rank)].destinations;
  visit_blocks_to_neighbors(call, communicator, destinations,
                            [&](int peer, std::uint64_t bytes) { append_message(peers, peer, bytes); });
  return peers;
}

std::vector<PeerTraffic> to_ranks(const CollectiveCall& call, const CommunicatorState& communicator) {
  std::vector<PeerTraffic> peers;
  visit_given_blocks(call, ranks_of(communicator),
                     [&](int peer, std::uint64_t bytes) { append_message(peers, peer, bytes); });
  return peers;
}

// Over an intercommunicator: blocks go straight to those of the other group who get them. Of what all reduce,
// and of barriers, the groups' first ranks exchange results, as libraries do; what passes inside of the
// groups for that is not counted.
ModelTraffic to_other_group(const CollectiveCall& call, const CommunicatorState& communicator,
                            std::uint64_t bytes) {
  const Operation operation = call.function->operation;
  const bool is_exchanged = operation == Operation::barrier || is_reduction(operation);
  if (!is_exchanged || is_rooted(operation))
    return {by_direct, to_ranks(call, communicator)};
  if (communicator.rank == 0)
    return {by_leaders, {{0, bytes, 1}}};
  return {by_leaders, {}};
}

// What this rank sends in the call. `bytes` is payload_bytes() of it.
ModelTraffic library_traffic(const CollectiveCall& call, CommunicatorState& communicator,
                             std::uint64_t bytes) {
  if (communicator.inter)
    return to_other_group(call, communicator, bytes);
  const Operation operation = call.function->operation;
  if (is_among_neighbors(operation))
    return {by_direct, to_neighbors(call, communicator)};
  if (!operation_shape(operation).are_sizes_agreed || operation == Operation::alltoall)
    return {by_direct, to_ranks(call, communicator)};
  return traffic_like(call, communicator, bytes);
}

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

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/record/library_model.hpp"
#include "base/of_process.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <set>
#include <string>

#include "mpi/abi/families/family.hpp"
#include "mpi/call/sides.hpp"
#include "mpi/run/neighbors.hpp"
#include "strategies/index.hpp"
#include "strategies/likely.hpp"

namespace thalweg::mpi {

namespace {

using observe::PeerTraffic;

constexpr strategies::MpiLibrary own_library =
    own_family == Family::openmpi ? strategies::MpiLibrary::open_mpi : strategies::MpiLibrary::mpich;
constexpr const char* by_direct = "direct";
constexpr const char* by_leaders = "like:leaders";

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

} // namespace

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

} // namespace thalweg::mpi

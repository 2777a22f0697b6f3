#include "mpi/record/library_model.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <set>
#include <string>

#include "mpi/abi/families/family.hpp"
#include "mpi/call/datatypes.hpp"
#include "mpi/call/schedule_operation.hpp"
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

// Lives as long as the process.
const char* by_likeness(const char* strategy) {
  static std::mutex mutex;
  static std::set<std::string>* const names = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return names->insert(fmt::format("like:{}", strategy)).first->c_str();
}

ModelTraffic traffic_like(const CollectiveCall& call, const CommunicatorState& communicator,
                          std::uint64_t bytes) {
  schedule::Problem problem;
  problem.operation = schedule_operation(call.function->operation);
  problem.ranks = communicator.size;
  problem.root = call.root;
  const std::uint64_t unit = unit_bytes(call, communicator, bytes);
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
  const bool is_gather = call.function->operation == Operation::neighbor_allgather ||
                         call.function->operation == Operation::neighbor_allgatherv;
  for (std::size_t index = 0; index < destinations.size(); ++index)
    append_message(peers, destinations[index],
                   is_gather ? bytes_of(call.sendcount, call.sendtype) : bytes_to(call, index));
  return peers;
}

std::vector<PeerTraffic> to_ranks(const CollectiveCall& call, const CommunicatorState& communicator) {
  std::vector<PeerTraffic> peers;
  const bool is_root = communicator.rank == call.root;
  if (call.function->operation == Operation::gatherv) {
    if (!is_root)
      append_message(peers, call.root, bytes_of(call.sendcount, call.sendtype));
    return peers;
  }
  if (call.function->operation == Operation::scatterv && !is_root)
    return peers;
  for (int rank = 0; rank < communicator.size; ++rank) {
    if (rank != communicator.rank)
      append_message(peers, rank, bytes_to(call, static_cast<std::size_t>(rank)));
  }
  return peers;
}

// Over an intercommunicator: blocks go straight to those of the other group who get them. Of what all reduce,
// and of barriers, the groups' first ranks exchange results, as libraries do; what passes inside of the
// groups for that is not counted.
ModelTraffic to_other_group(const CollectiveCall& call, const CommunicatorState& communicator,
                            std::uint64_t bytes) {
  std::vector<PeerTraffic> peers;
  const bool is_root = call.root == MPI_ROOT;
  const auto to_all = [&](auto bytes_of_rank) {
    for (int rank = 0; rank < communicator.remote_size; ++rank)
      append_message(peers, rank, bytes_of_rank(static_cast<std::size_t>(rank)));
  };
  switch (call.function->operation) {
  case Operation::bcast:
    if (is_root)
      to_all([&](std::size_t) { return bytes; });
    break;
  case Operation::scatter:
  case Operation::scatterv:
    if (is_root)
      to_all([&](std::size_t rank) { return bytes_to(call, rank); });
    break;
  case Operation::gather:
  case Operation::gatherv:
  case Operation::reduce:
    if (call.root >= 0)
      append_message(peers, call.root, bytes_of(call.sendcount, call.sendtype));
    break;
  case Operation::allgather:
  case Operation::allgatherv:
    to_all([&](std::size_t) { return bytes; });
    break;
  case Operation::alltoall:
  case Operation::alltoallv:
  case Operation::alltoallw:
    to_all([&](std::size_t rank) { return bytes_to(call, rank); });
    break;
  default:
    if (communicator.rank == 0)
      peers.push_back({0, bytes, 1});
    return {by_leaders, std::move(peers)};
  }
  return {by_direct, std::move(peers)};
}

} // namespace

std::uint64_t unit_bytes(const CollectiveCall& call, const CommunicatorState& communicator,
                         std::uint64_t bytes) {
  const auto ranks = static_cast<std::uint64_t>(communicator.size);
  switch (call.function->operation) {
  case Operation::reduce_scatter:
  case Operation::reduce_scatter_block:
    return bytes / ranks;
  case Operation::gather:
  case Operation::scatter:
    return communicator.rank == call.root ? bytes / ranks : bytes;
  case Operation::allgatherv: {
    std::uint64_t all = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      all += bytes_of(call.recvcounts[rank], call.recvtype);
    return all / ranks;
  }
  default:
    return bytes;
  }
}

std::uint64_t bytes_to(const CollectiveCall& call, std::size_t rank) {
  const bool in_place = is_in_place(call); // ranks then send what they receive
  const IntegerArray& counts = in_place ? call.recvcounts : call.sendcounts;
  const MPI_Datatype* const types = in_place ? call.recvtypes : call.sendtypes;
  const MPI_Datatype type = types != nullptr ? types[rank] : in_place ? call.recvtype : call.sendtype;
  return bytes_of(counts ? counts[rank] : in_place ? call.recvcount : call.sendcount, type);
}

std::uint64_t bytes_from(const CollectiveCall& call, std::size_t rank) {
  const MPI_Datatype type = call.recvtypes != nullptr ? call.recvtypes[rank] : call.recvtype;
  return bytes_of(call.recvcounts ? call.recvcounts[rank] : call.recvcount, type);
}

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

bool has_counts_by_peer(Operation operation) {
  return operation == Operation::gatherv || operation == Operation::scatterv ||
         operation == Operation::alltoallv || operation == Operation::alltoallw ||
         operation >= Operation::neighbor_allgather;
}

ModelTraffic library_traffic(const CollectiveCall& call, CommunicatorState& communicator,
                             std::uint64_t bytes) {
  if (communicator.inter)
    return to_other_group(call, communicator, bytes);
  if (call.function->operation >= Operation::neighbor_allgather)
    return {by_direct, to_neighbors(call, communicator)};
  if (has_counts_by_peer(call.function->operation) || call.function->operation == Operation::alltoall)
    return {by_direct, to_ranks(call, communicator)};
  return traffic_like(call, communicator, bytes);
}

} // namespace thalweg::mpi

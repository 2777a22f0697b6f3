// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/neighbor_graph.hpp"

#include "base/assertion.hpp"
#include "job/mpi/agreement.hpp"
#include "mpi/abi/library_api.hpp"
#include "strategies/neighbor_graph.hpp"

#include <cstring>
#include <numeric>
#include <string>

namespace thalweg::mpi {

namespace {

// Each rank keeps them all: 8 bytes an edge.
constexpr std::int64_t max_edges = std::int64_t{1} << 22;

struct Lengths {
  std::int32_t sources = 0;
  std::int32_t destinations = 0;
};

std::vector<schedule::Neighborhood> cut(const std::vector<Lengths>& lengths, const std::string& bytes) {
  std::vector<schedule::Neighborhood> all;
  const char* next = bytes.data();
  const auto take = [&](std::int32_t count) {
    std::vector<Rank> ranks(static_cast<std::size_t>(count));
    if (!ranks.empty())
      std::memcpy(ranks.data(), next, ranks.size() * sizeof(Rank));
    next += ranks.size() * sizeof(Rank);
    return ranks;
  };
  for (const Lengths& own : lengths) {
    schedule::Neighborhood neighbors;
    neighbors.sources = take(own.sources);
    neighbors.destinations = take(own.destinations);
    all.push_back(std::move(neighbors));
  }
  THALWEG_ASSERT(light, next == bytes.data() + bytes.size());
  return all;
}

} // namespace

const char* NeighborGraph::gather(const schedule::Neighborhood& own, CommunicatorState& communicator) {
  const MPI_Comm shadow = communicator.group().communicator();
  const job::Agreement everybody(library_api(), shadow, job::all_ranks(communicator.size), communicator.rank,
                                 job::agreement_tag(library_api(), shadow),
                                 communicator.channels()->policy());
  const std::vector<Lengths> lengths = everybody.allgather(Lengths{
      static_cast<std::int32_t>(own.sources.size()), static_cast<std::int32_t>(own.destinations.size())});
  const std::int64_t ends = std::accumulate(
      lengths.begin(), lengths.end(), std::int64_t{0},
      [](std::int64_t sum, const Lengths& one) { return sum + one.sources + one.destinations; });
  if (ends > 2 * max_edges)
    return "a graph of more edges than each rank may keep";
  std::vector<Rank> neighbors = own.sources;
  neighbors.insert(neighbors.end(), own.destinations.begin(), own.destinations.end());
  const std::vector<Rank> gathered = everybody.gather(neighbors);
  std::string bytes(reinterpret_cast<const char*>(gathered.data()), gathered.size() * sizeof(Rank));
  everybody.broadcast(bytes);
  auto all = std::make_shared<const Neighborhoods>(cut(lengths, bytes));
  if (!strategies::has_both_ends(*all))
    return "a graph of which ranks name different edges";
  all_ = std::move(all);
  return nullptr;
}

const char* NeighborGraph::put_into(schedule::Problem& problem, CommunicatorState& communicator,
                                    bool may_wait) {
  THALWEG_ASSERT(light, problem.neighborhoods != nullptr);
  if (!all_ && why_none_ == nullptr) {
    if (!may_wait)
      return "a graph that no blocking call has gathered yet";
    why_none_ = gather((*problem.neighborhoods)[static_cast<std::size_t>(communicator.rank)], communicator);
  }
  if (why_none_ != nullptr)
    return why_none_;
  problem.neighborhoods = all_;
  return nullptr;
}

void NeighborGraph::put_phases_into(schedule::Problem& problem, const strategies::Strategy& strategy,
                                    CommunicatorState& communicator) {
  THALWEG_ASSERT(light, problem.neighborhoods == all_ && all_ != nullptr);
  std::shared_ptr<const schedule::PhasesOfEdges>& phases = phases_[&strategy];
  if (!phases)
    phases = strategy.find_phases(problem, communicator.group().places().in_network);
  problem.phases = phases;
}

} // namespace thalweg::mpi

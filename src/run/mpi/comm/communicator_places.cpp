// SPDX-License-Identifier: BSD-3-Clause

// Where a communicator's ranks are, and whom each has for a neighbor.

#include "mpi/comm/communicators.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "mpi/comm/world_ranks.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/runtime.hpp"
#include "strategies/order.hpp"

namespace thalweg::mpi {

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

const std::vector<int>& entries_of(const std::shared_ptr<const std::vector<int>>& places) {
  static const std::vector<int> none;
  return places ? *places : none;
}

} // namespace

void CommunicatorState::find_world_ranks() {
  MPI_Group group{};
  if (inter) {
    native.Comm_remote_group(handle, &group);
  } else {
    native.Comm_group(handle, &group);
  }
  world_ranks_ = world_ranks_of(group);
  native.Group_free(&group);
  std::ranges::replace(world_ranks_, MPI_UNDEFINED, -1);
}

void CommunicatorState::find_places() {
  if (nodes_ || !agreed || inter) {
    return;
  }
  const Inside inside;
  MPI_Group group{};
  native.Comm_group(handle, &group);
  const std::vector<int> world = world_ranks_of(group);
  native.Group_free(&group);
  const auto places_in = [&](const std::vector<int>& of_world, int highest_min) {
    std::vector<int> found = of_world.empty() ? std::vector<int>{} : renumbered(of_world, world);
    const bool are_several = !found.empty() && std::ranges::max(found) >= highest_min;
    return are_several ? std::make_shared<const std::vector<int>>(std::move(found)) : nullptr;
  };
  nodes_ = places_in(runtime.world.placement.nodes, 0);
  leaves_ = places_in(runtime.world.placement.leaves, 1);
  sockets_ = places_in(runtime.world.placement.sockets, std::ranges::max(*nodes_) + 1);
  find_node_places(world);
}

void CommunicatorState::find_node_places(const std::vector<int>& world) {
  const topology::NodePlaces& all = runtime.world.node_places;
  node_places_ = {all.network, all.hosts, {}};
  if (all.places.empty()) {
    return;
  }
  node_places_.places.resize(static_cast<std::size_t>(std::ranges::max(nodes())) + 1);
  for (std::size_t own = 0; own < world.size(); ++own) {
    const int node = runtime.world.placement.nodes[static_cast<std::size_t>(world[own])];
    node_places_.places[static_cast<std::size_t>((*nodes_)[own])] =
        all.places[static_cast<std::size_t>(node)];
  }
}

const topology::NodePlaces& CommunicatorState::node_places() {
  find_places();
  return node_places_;
}

const std::shared_ptr<const schedule::RankOrders>& CommunicatorState::orders() {
  if (!has_orders_) {
    find_places();
    orders_ = strategies::rank_orders(nodes(), sockets(), node_places_);
    has_orders_ = true;
  }
  return orders_;
}

const std::vector<int>& CommunicatorState::nodes() {
  find_places();
  return entries_of(nodes_);
}

const std::vector<int>& CommunicatorState::sockets() {
  find_places();
  return entries_of(sockets_);
}

const std::vector<int>& CommunicatorState::leaves() {
  find_places();
  return entries_of(leaves_);
}

void CommunicatorState::put_places_into(schedule::Problem& problem) {
  find_places();
  problem.nodes = nodes_;
  problem.sockets = sockets_;
  problem.leaves = leaves_;
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

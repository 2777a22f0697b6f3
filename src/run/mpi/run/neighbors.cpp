// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/neighbors.hpp"

namespace thalweg::mpi {

namespace {

int topology_of(const CommunicatorState& communicator) {
  int kind = MPI_UNDEFINED;
  native.Topo_test(communicator.handle, &kind);
  return kind;
}

struct Grid {
  std::vector<int> sizes;
  std::vector<int> periodic;
};

Grid grid_of(const CommunicatorState& communicator) {
  int dimensions = 0;
  native.Cartdim_get(communicator.handle, &dimensions);
  Grid grid;
  grid.sizes.resize(static_cast<std::size_t>(dimensions) + 1);
  grid.periodic.resize(static_cast<std::size_t>(dimensions) + 1);
  std::vector<int> place(static_cast<std::size_t>(dimensions) + 1);
  native.Cart_get(communicator.handle, dimensions, grid.sizes.data(), grid.periodic.data(), place.data());
  grid.sizes.resize(static_cast<std::size_t>(dimensions));
  return grid;
}

schedule::Neighborhood on_grid(const CommunicatorState& communicator) {
  schedule::Neighborhood result;
  const Grid grid = grid_of(communicator);
  for (int dimension = 0; dimension < static_cast<int>(grid.sizes.size()); ++dimension) {
    int below = MPI_PROC_NULL;
    int above = MPI_PROC_NULL;
    native.Cart_shift(communicator.handle, dimension, 1, &below, &above);
    for (const int neighbor : {below, above})
      result.sources.push_back(neighbor == MPI_PROC_NULL ? -1 : neighbor);
  }
  result.destinations = result.sources;
  return result;
}

schedule::Neighborhood on_graph(const CommunicatorState& communicator) {
  schedule::Neighborhood result;
  int count = 0;
  native.Graph_neighbors_count(communicator.handle, communicator.rank, &count);
  result.sources.resize(static_cast<std::size_t>(count));
  native.Graph_neighbors(communicator.handle, communicator.rank, count, result.sources.data());
  result.destinations = result.sources;
  return result;
}

schedule::Neighborhood on_distributed_graph(CommunicatorState& communicator) {
  const Degrees& degrees = communicator.degrees();
  schedule::Neighborhood result;
  result.sources.resize(static_cast<std::size_t>(degrees.in));
  result.destinations.resize(static_cast<std::size_t>(degrees.out));
  std::vector<int> in_weights(result.sources.size() + 1);
  std::vector<int> out_weights(result.destinations.size() + 1);
  native.Dist_graph_neighbors(communicator.handle, degrees.in, result.sources.data(), in_weights.data(),
                              degrees.out, result.destinations.data(), out_weights.data());
  return result;
}

} // namespace

bool is_short_ring(CommunicatorState& communicator) {
  if (topology_of(communicator) != MPI_CART)
    return false;
  const Grid grid = grid_of(communicator);
  for (std::size_t dimension = 0; dimension < grid.sizes.size(); ++dimension)
    if (grid.periodic[dimension] != 0 && grid.sizes[dimension] <= 2)
      return true;
  return false;
}

const char* neighborhood_objection(CommunicatorState& communicator) {
  if (topology_of(communicator) == MPI_UNDEFINED)
    return "a communicator without neighbors";
  return is_short_ring(communicator) ? "a periodic dimension of one or two ranks" : nullptr;
}

std::shared_ptr<const std::vector<schedule::Neighborhood>> neighborhoods(CommunicatorState& communicator) {
  auto all =
      std::make_shared<std::vector<schedule::Neighborhood>>(static_cast<std::size_t>(communicator.size));
  auto& own = (*all)[static_cast<std::size_t>(communicator.rank)];
  const int kind = topology_of(communicator);
  own = kind == MPI_CART    ? on_grid(communicator)
        : kind == MPI_GRAPH ? on_graph(communicator)
                            : on_distributed_graph(communicator);
  return all;
}

} // namespace thalweg::mpi

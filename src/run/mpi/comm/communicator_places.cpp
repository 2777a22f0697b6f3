// SPDX-License-Identifier: BSD-3-Clause

// Where a communicator's ranks are, and whom each has for a neighbor.

#include "base/assertion.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/runtime.hpp"
#include "transport/mpi/communicator_group.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

namespace thalweg::mpi {

std::vector<int> world_ranks_of(MPI_Group group) {
  int size = 0;
  native.Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world(ranks.size());
  native.Group_translate_ranks(group, size, ranks.data(), runtime.world.group, world.data());
  return world;
}

void CommunicatorState::find_world_ranks() {
  if (inter) {
    MPI_Group group{};
    native.Comm_remote_group(handle, &group);
    world_ranks_ = world_ranks_of(group);
    native.Group_free(&group);
  } else {
    world_ranks_ = world_ranks_of(transport::CommunicatorGroup(library_api(), handle).get());
  }
  std::ranges::replace(world_ranks_, MPI_UNDEFINED, -1);
}

job::RankGroup& CommunicatorState::group() {
  if (group_)
    return *group_;
  THALWEG_ASSERT(light, agreed && !inter);
  const Inside inside;
  const std::vector<int> in_world = world_ranks_of(transport::CommunicatorGroup(library_api(), handle).get());
  group_ = std::make_unique<job::RankGroup>(
      rank, job::places_of_part(runtime.world.placement, runtime.world.node_places, in_world));
  THALWEG_ASSERT(light, group_->ranks() == size);
  return *group_;
}

namespace {

Degrees degrees_of(MPI_Comm comm, int rank) {
  Degrees found;
  int topology = MPI_UNDEFINED;
  native.Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    int dimensions = 0;
    native.Cartdim_get(comm, &dimensions);
    found.in = 2 * dimensions;
  } else if (topology == MPI_GRAPH) {
    native.Graph_neighbors_count(comm, rank, &found.in);
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    native.Dist_graph_neighbors_count(comm, &found.in, &found.out, &weighted);
    return found;
  }
  found.out = found.in;
  return found;
}

} // namespace

const Degrees& CommunicatorState::degrees() {
  if (!degrees_) {
    const Inside inside;
    degrees_ = degrees_of(handle, rank);
  }
  return *degrees_;
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm/world_ranks.hpp"

#include <numeric>

#include "mpi/state/runtime.hpp"

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

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/traffic_of.hpp"

#include "mpi/call/sides.hpp"

namespace thalweg::mpi {

pattern::Traffic traffic_of(const CollectiveCall& call, CommunicatorState& communicator) {
  pattern::Traffic traffic;
  visit_given_blocks(call, ranks_of(call.function->operation, communicator), [&](int, std::uint64_t bytes) {
    traffic += {bytes > 0 ? 1 : 0, static_cast<std::int64_t>(bytes)};
  });
  return traffic;
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/edges.hpp"

namespace thalweg::strategies::neighbor_allgather {

Strategy direct() {
  return {.name = "direct",
          .operation = Operation::neighbor_allgather,
          .summary = "posts a receive and a send for each edge, all at once",
          .wins_when = "few neighbors",
          .source = "MPI 3.1, section 7.6, as defined; Kumar 2005, section 3.3 (direct many-to-many)",
          .unequal_blocks = true,
          .append = [](Builder& b) {
            append_edges(b, edges_of(b), 0, [](std::int32_t) { return schedule::input(0); });
          }};
}

} // namespace thalweg::strategies::neighbor_allgather

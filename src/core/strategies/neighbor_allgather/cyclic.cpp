// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/edges.hpp"
#include "strategies/pacing.hpp"

namespace thalweg::strategies::neighbor_allgather {

namespace {

void append(Builder& b) {
  Edges edges = edges_of(b);
  sort_by_distance(edges, b.rank(), b.ranks());
  append_edges(b, edges, static_cast<std::size_t>(b.parameter("window")),
               [](std::int32_t) { return schedule::input(0); });
}

} // namespace

Strategy cyclic() {
  return {.name = "cyclic",
          .operation = Operation::neighbor_allgather,
          .summary = "meets neighbors by their distance in rank, a window at a time",
          .wins_when = "many neighbors and long blocks: no rank is everybody's first target",
          .source = "Kumar 2005, sections 3.2 and 4.2.2 (many-to-many in cyclic order)",
          .parameters = {window_parameter(8)},
          .unequal_blocks = true,
          .append = append};
}

} // namespace thalweg::strategies::neighbor_allgather

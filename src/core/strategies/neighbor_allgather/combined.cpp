// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/edges.hpp"

#include <map>

namespace thalweg::strategies::neighbor_allgather {

namespace {

// All edges between two ranks carry the same block: it goes once and is copied to where it belongs besides.
// More cannot be combined by ranks that know their own neighborhood alone.
void append(Builder& b) {
  const Edges edges = edges_of(b);
  for (const auto& [destination, source] : edges.loops)
    b.copy(schedule::input(0), schedule::output(source));
  std::map<Rank, std::int32_t> first;
  for (const Edge& edge : edges.receives)
    if (first.emplace(edge.peer, edge.unit).second)
      b.receive(edge.peer, schedule::output(edge.unit));
  std::map<Rank, std::int32_t> sent;
  for (const Edge& edge : edges.sends)
    if (sent.emplace(edge.peer, edge.unit).second)
      b.send(edge.peer, schedule::input(0));
  b.round();
  for (const Edge& edge : edges.receives)
    b.copy(schedule::output(first.at(edge.peer)), schedule::output(edge.unit));
}

} // namespace

Strategy combined() {
  return {.name = "combined",
          .operation = Operation::neighbor_allgather,
          .summary = "one message a neighbor, whatever the number of edges to it; copies make up the others",
          .wins_when = "graphs with several edges between the same ranks",
          .source = "Kumar 2005, section 6.2 (combining per destination rank)",
          .unequal_blocks = true,
          .append = append};
}

} // namespace thalweg::strategies::neighbor_allgather

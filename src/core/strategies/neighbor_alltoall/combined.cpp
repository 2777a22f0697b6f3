// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/edges.hpp"

#include <map>

namespace thalweg::strategies::neighbor_alltoall {

namespace {

std::map<Rank, schedule::BlockList> by_peer(const std::vector<Edge>& edges, schedule::Buffer buffer) {
  std::map<Rank, schedule::BlockList> blocks;
  for (const Edge& edge : edges)
    blocks[edge.peer].push_back({buffer, edge.unit});
  return blocks;
}

// Combining on the way, as on a mesh, would need other ranks' neighborhoods; a rank knows its own alone.
// What it can combine is what goes to the same neighbor, and small periodic grids have two edges to one.
void append(Builder& b) {
  const Edges edges = edges_of(b);
  for (const auto& [destination, source] : edges.loops)
    b.copy(schedule::input(destination), schedule::output(source));
  for (const auto& [peer, blocks] : by_peer(edges.receives, schedule::Buffer::output))
    b.receive(peer, blocks);
  for (const auto& [peer, blocks] : by_peer(edges.sends, schedule::Buffer::input))
    b.send(peer, blocks);
}

} // namespace

Strategy combined() {
  return {.name = "combined",
          .operation = Operation::neighbor_alltoall,
          .summary = "one message a neighbor, whatever the number of edges to it",
          .wins_when = "graphs with several edges between the same ranks, short blocks",
          .source = "Kumar 2005, section 6.2 (combining per destination rank)",
          .unequal_blocks = true,
          .append = append};
}

} // namespace thalweg::strategies::neighbor_alltoall

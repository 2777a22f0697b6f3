// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allgather/cube_exchange.hpp"

#include "strategies/allgather/layout.hpp"
#include "topology/hypercube.hpp"

#include <algorithm>

namespace thalweg::strategies::allgather {

namespace {

using schedule::BlockList;
using topology::Hypercube;

/// The blocks of the nodes first .. first+count-1 and of the ranks folded onto them.
BlockList blocks_of_nodes(const Hypercube& cube, Rank first, std::int32_t count) {
  BlockList blocks;
  for (std::int32_t layer = 0; layer < cube.layers(); ++layer)
    blocks =
        std::move(blocks) + blocks_of(layer * cube.nodes() + first, cube.count_in_layer(first, count, layer));
  return blocks;
}

/// The nodes with which `node` exchanges in a stage: those that differ from it in digit `stage`, or, from the
/// stage on that is direct, in any digit from there up.
std::vector<Rank> partners(const Hypercube& cube, Rank node, std::int32_t stage, bool is_direct) {
  std::vector<Rank> found;
  if (is_direct)
    for (std::int32_t ahead = cube.distance(stage); ahead < cube.nodes(); ahead += cube.distance(stage))
      found.push_back((node + ahead) % cube.nodes());
  else
    for (std::int32_t k = 1; k < cube.radix(); ++k)
      found.push_back(cube.neighbor(node, stage, k));
  return found;
}

} // namespace

void append_on_cube(Builder& b, std::int32_t radix, std::int32_t stages) {
  const Hypercube cube(b.ranks(), radix);
  const Rank self = b.rank();
  const Rank node = cube.node_of(self);
  if (self != node) {
    b.copy(schedule::input(0), blocks_of(self, 1));
    b.send(node, schedule::input(0));
    b.round();
    b.receive(node, all_but(self, b.ranks()));
    return;
  }
  b.copy(schedule::input(0), blocks_of(self, 1));
  for (Rank folded = node + cube.nodes(); folded < b.ranks(); folded += cube.nodes())
    b.receive(folded, blocks_of(folded, 1));
  stages = std::clamp(stages, 0, cube.dimensions());
  for (std::int32_t stage = 0; stage < std::min(stages + 1, cube.dimensions()); ++stage) {
    b.round();
    const std::int32_t held = cube.distance(stage);
    const std::vector<Rank> others = partners(cube, node, stage, stage == stages);
    for (const Rank other : others)
      b.receive(other, blocks_of_nodes(cube, cube.group(other, stage), held));
    for (const Rank other : others)
      b.send(other, blocks_of_nodes(cube, cube.group(node, stage), held));
  }
  b.round();
  for (Rank folded = node + cube.nodes(); folded < b.ranks(); folded += cube.nodes())
    b.send(folded, all_but(folded, b.ranks()));
}

} // namespace thalweg::strategies::allgather

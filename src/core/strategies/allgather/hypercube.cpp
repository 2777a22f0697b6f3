// SPDX-License-Identifier: BSD-3-Clause
#include "topology/hypercube.hpp"

#include "base/arithmetic.hpp"
#include "strategies/allgather/layout.hpp"

#include <algorithm>
#include <limits>

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

/// All-gather on the hypercube of that radix: folded ranks in, `stages` stages (at most as many as it has
/// dimensions) of exchanges with the radix-1 nodes that differ in one digit, the lowest first, then directly
/// among the nodes that agree in these digits, folded ranks out.
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

} // namespace

Strategy hypercube() {
  return {.name = "hypercube",
          .operation = Operation::allgather,
          .summary = "recursive doubling: exchanges all it has with rank XOR 1, 2, 4, ..; ranks beyond a "
                     "power of two fold in and out",
          .wins_when = "short blocks, ranks a power of two",
          .source = "Kumar 2005, section 3.1.3 (hypercube with holes)",
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .append = [](Builder& b) { append_on_cube(b, 2, std::numeric_limits<std::int32_t>::max()); }};
}

Strategy hybrid_hypercube() {
  return {.name = "hybrid_hypercube",
          .operation = Operation::allgather,
          .summary =
              "log2 P - z stages of recursive doubling, then directly within the sub-cubes of 2^z ranks",
          .wins_when =
              "medium blocks, where sending the same data several times is cheaper than sending new data",
          .source = "Kumar 2005, section 3.1.5 (hybrid of hypercube and direct)",
          .parameters = {{.name = "z",
                          .kind = ParameterKind::count,
                          .default_value = 2,
                          .min = 0,
                          .max = 20,
                          .description = "dimensions done directly in the end, all there are at most",
                          .proven_at = {3, 1, 20}}},
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .append = [](Builder& b) {
            append_on_cube(b, 2, floor_log(2, b.ranks()) - static_cast<std::int32_t>(b.parameter("z")));
          }};
}

Strategy knomial() {
  return {.name = "knomial",
          .operation = Operation::allgather,
          .summary = "recursive k-nomial exchange: recursive doubling with radix-1 partners a stage; other "
                     "ranks fold in and out",
          .wins_when =
              "short blocks where several messages can be under way at once, ranks near a power of the radix",
          .source = "UCC, all-gather 'knomial'; Kumar 2005, section 3.1.3 with a radix",
          .parameters = {{.name = "radix",
                          .kind = ParameterKind::count,
                          .default_value = 4,
                          .min = 2,
                          .max = 1024,
                          .description = "a rank exchanges with radix-1 others in each stage",
                          .proven_at = {3, 5, 8}}},
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .append = [](Builder& b) {
            append_on_cube(b, static_cast<std::int32_t>(b.parameter("radix")),
                           std::numeric_limits<std::int32_t>::max());
          }};
}

} // namespace thalweg::strategies::allgather

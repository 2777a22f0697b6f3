// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allgather/layout.hpp"
#include "strategies/index.hpp"
#include "topology/tree.hpp"

#include <numeric>

namespace thalweg::strategies::allgather {

namespace {

/// The blocks of a rank and all below it in the tree.
schedule::BlockList blocks_below(const Builder& b, std::int32_t radix, Rank rank) {
  schedule::BlockList blocks;
  for (const auto& [first, end] : topology::subtree(topology::TreeShape::knomial, b.ranks(), radix, rank))
    blocks = std::move(blocks) + blocks_of(first, end - first);
  return blocks;
}

// Every rank has room for all blocks, so unlike a gather of its own this one keeps them where they belong.
void append(Builder& b) {
  const auto radix = static_cast<std::int32_t>(b.parameter("radix"));
  const topology::TreeNode place =
      topology::tree_node(topology::TreeShape::knomial, b.ranks(), radix, b.rank());
  append_own(b);
  for (const Rank child : place.children)
    b.receive(child, blocks_below(b, radix, child));
  b.round();
  if (place.parent >= 0)
    b.send(place.parent, blocks_below(b, radix, b.rank()));

  std::vector<Rank> everyone(static_cast<std::size_t>(b.ranks()));
  std::iota(everyone.begin(), everyone.end(), 0);
  append_stage(b, "knomial",
               {.problem = {.operation = Operation::broadcast},
                .members = std::move(everyone),
                .input_units = {},
                .output_units = {blocks_of(0, b.ranks())}},
               {{"radix", radix}});
}

} // namespace

Strategy gather_broadcast() {
  return {.name = "gather_broadcast",
          .operation = Operation::allgather,
          .summary = "mock-up: gathers at rank 0 and broadcasts from there, both on k-nomial trees",
          .wins_when = "seldom; where the library's all-gather is worse than this, it is broken",
          .source = "Hunold, Carpen-Amarie 2018, PGMPITuneLib (guideline mock-ups)",
          .parameters = {{.name = "radix",
                          .kind = ParameterKind::count,
                          .default_value = 2,
                          .min = 2,
                          .max = 1024,
                          .description = "k of both trees",
                          .proven_at = {3, 4}}},
          .unequal_blocks = true,
          .in_place = true,
          .append = append};
}

} // namespace thalweg::strategies::allgather

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allreduce/up_and_down.hpp"
#include "strategies/leader_groups.hpp"
#include "strategies/segments.hpp"
#include "strategies/two_level_tree.hpp"

namespace thalweg::strategies::allreduce {

namespace {

void append(Builder& builder) {
  if (builder.ranks() == 1) {
    builder.copy(schedule::input(0, builder.pieces()), schedule::output(0, builder.pieces()));
    return;
  }
  UpAndDown tree(builder, TwoLevelTree(builder.problem()).node(builder.rank()));
  for (std::int32_t piece = 0; piece < builder.pieces(); ++piece) {
    tree.up(piece);
    tree.down(piece);
  }
}

} // namespace

Strategy two_level_pipeline() {
  return {
      .name = "two_level_pipeline",
      .operation = Operation::allreduce,
      .summary = "combines inside of nodes and up a tree of the nodes' leaders, and sends sums back down, "
                 "segment by segment, both levels and both directions at the same time",
      .wins_when = "several ranks a node, long vectors",
      .source = "Karonis et al. 2000 (levels); Graham, Venkata et al. 2011 (Cheetah: levels overlapped by "
                "segments)",
      .parameters = TwoLevelTree::pipeline_parameters(),
      .in_place = true,
      .uses_nodes = true,
      .unsupported_reason = unsupported_level_reason,
      .pieces = segments,
      .append = append};
}

} // namespace thalweg::strategies::allreduce

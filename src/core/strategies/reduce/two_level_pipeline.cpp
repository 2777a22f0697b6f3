// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/leader_groups.hpp"
#include "strategies/reduce/pipeline.hpp"
#include "strategies/segments.hpp"
#include "strategies/two_level_tree.hpp"

namespace thalweg::strategies::reduce {

namespace {

void append(Builder& builder) {
  Place place = commutative_place(TwoLevelTree(builder.problem()).node(builder.rank()));
  Pipeline pipeline(builder, std::move(place), builder.parameter("window"));
  for (std::int32_t piece = 0; piece < builder.pieces(); ++piece)
    pipeline.append(piece);
}

} // namespace

Strategy two_level_pipeline() {
  return {.name = "two_level_pipeline",
          .operation = Operation::reduce,
          .summary = "combines inside of nodes and up a tree of the nodes' leaders, segment by segment, both "
                     "levels at the same time",
          .wins_when = "several ranks a node, long vectors",
          .source =
              "Karonis et al. 2000 (levels); Graham, Venkata et al. 2011 (Cheetah: levels overlapped by "
              "segments)",
          .parameters = TwoLevelTree::pipeline_parameters(),
          .in_place = true,
          .uses_nodes = true,
          .unsupported_reason = unsupported_level_reason,
          .pieces = segments,
          .append = append};
}

} // namespace thalweg::strategies::reduce

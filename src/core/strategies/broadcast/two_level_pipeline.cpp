// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/broadcast/pipeline.hpp"
#include "strategies/leader_groups.hpp"
#include "strategies/segments.hpp"
#include "strategies/two_level_tree.hpp"

namespace thalweg::strategies::broadcast {

namespace {

void append(Builder& builder) {
  const Problem& problem = builder.problem();
  Pipeline pipeline(builder, TwoLevelTree(problem).node(builder.rank()), builder.parameter("window"));
  for (std::int32_t piece = 0; piece < builder.pieces(); ++piece)
    pipeline.append(piece);
}

} // namespace

Strategy two_level_pipeline() {
  return {.name = "two_level_pipeline",
          .operation = Operation::broadcast,
          .summary = "sends down a tree of the nodes' leaders, each passing segments on inside of its node "
                     "while the next ones are under way between nodes",
          .wins_when = "several ranks a node, long messages",
          .source =
              "Karonis et al. 2000 (levels); Graham, Venkata et al. 2011 (Cheetah: levels overlapped by "
              "segments)",
          .parameters = TwoLevelTree::pipeline_parameters(),
          .uses_nodes = true,
          .unsupported_reason = unsupported_level_reason,
          .pieces = segments,
          .append = append};
}

} // namespace thalweg::strategies::broadcast

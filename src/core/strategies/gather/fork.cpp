// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/gather/tree.hpp"

namespace thalweg::strategies::gather {

Strategy fork() {
  return {.name = "fork",
          .operation = Operation::gather,
          .summary = "gathers up `chains` chains that hang on the root, passing messages on as they come",
          .wins_when = "large blocks where only neighbors are well connected",
          .source = "Nishtala 2009, chapter 5 (fork)",
          .parameters = tree_message_parameters(topology::TreeShape::fork, 32 << 10),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::fork); }};
}

} // namespace thalweg::strategies::gather

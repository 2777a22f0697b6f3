// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/scatter/tree.hpp"

namespace thalweg::strategies::scatter {

Strategy fork() {
  return {.name = "fork",
          .operation = Operation::scatter,
          .summary = "scatters down `chains` chains that hang on the root, passing messages on as they come",
          .wins_when = "large blocks where only neighbors are well connected",
          .source = "Nishtala 2009, chapter 5 (fork)",
          .parameters = tree_message_parameters(topology::TreeShape::fork, 32 << 10),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::fork); }};
}

} // namespace thalweg::strategies::scatter

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/scatter/tree.hpp"

namespace thalweg::strategies::scatter {

Strategy flat() {
  return {.name = "flat",
          .operation = Operation::scatter,
          .summary = "the root sends to every rank itself",
          .wins_when = "large blocks, or few ranks",
          .source = "Nishtala 2009, chapter 5 (flat)",
          .parameters = tree_message_parameters(topology::TreeShape::flat, 0),
          .unequal_blocks = true,
          .in_place = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::flat); }};
}

} // namespace thalweg::strategies::scatter

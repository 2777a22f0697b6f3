// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/gather/tree.hpp"

namespace thalweg::strategies::gather {

Strategy chain() {
  return {.name = "chain",
          .operation = Operation::gather,
          .summary = "gathers up a chain of all ranks, passing messages on as they come",
          .wins_when = "large blocks where only neighbors are well connected",
          .source = "Nishtala 2009, chapter 5 (chain)",
          .parameters = tree_message_parameters(topology::TreeShape::chain, 32 << 10),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::chain); }};
}

} // namespace thalweg::strategies::gather

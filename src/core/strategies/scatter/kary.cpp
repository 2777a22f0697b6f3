// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/scatter/tree.hpp"

namespace thalweg::strategies::scatter {

Strategy kary() {
  return {.name = "kary",
          .operation = Operation::scatter,
          .summary = "scatters down a k-ary tree over relative ranks",
          .wins_when = "many ranks and small blocks where the root is slow to send or receive",
          .source = "Nishtala 2009, chapter 5 (k-ary)",
          .parameters = tree_message_parameters(topology::TreeShape::kary, 0),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::kary); }};
}

} // namespace thalweg::strategies::scatter

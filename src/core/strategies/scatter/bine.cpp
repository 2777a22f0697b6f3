// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/scatter/tree.hpp"

namespace thalweg::strategies::scatter {

Strategy bine() {
  return {.name = "bine",
          .operation = Operation::scatter,
          .summary = "scatters down a binomial tree whose edges alternate direction and are a third shorter",
          .wins_when = "small blocks where crossing between groups of nodes is dear",
          .source = "De Sensi, Pichetti, Domke et al. 2025 (Bine trees)",
          .parameters = tree_message_parameters(topology::TreeShape::bine, 0),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::bine); }};
}

} // namespace thalweg::strategies::scatter

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/barrier/tree.hpp"

namespace thalweg::strategies::barrier {

Strategy knomial() {
  return {.name = "knomial",
          .operation = Operation::barrier,
          .summary = "tokens up a k-nomial tree, then down it",
          .wins_when = "many ranks in shared memory",
          .source = "Nishtala 2009, section 6.1 (tree barriers)",
          .parameters = degree_parameters(topology::TreeShape::knomial),
          .order_matters = true,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::knomial); }};
}

} // namespace thalweg::strategies::barrier

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/barrier/tree.hpp"

namespace thalweg::strategies::barrier {

Strategy kary() {
  return {.name = "kary",
          .operation = Operation::barrier,
          .summary = "tokens up a k-ary tree, then down it",
          .wins_when = "many ranks on slow cores or offloaded to the network interface",
          .source =
              "Zhang 2002 (gather then broadcast, binary tree on relative ranks); Nishtala 2009, section 6.1",
          .parameters = degree_parameters(topology::TreeShape::kary),
          .order_matters = true,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::kary); }};
}

} // namespace thalweg::strategies::barrier

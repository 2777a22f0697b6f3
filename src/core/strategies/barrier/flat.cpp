// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/barrier/tree.hpp"

namespace thalweg::strategies::barrier {

Strategy flat() {
  return {.name = "flat",
          .operation = Operation::barrier,
          .summary = "every rank tells rank 0, which tells every rank",
          .wins_when = "few ranks, or more ranks than cores",
          .source = "Nishtala 2009, section 6.1 (flat)",
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::flat); }};
}

} // namespace thalweg::strategies::barrier

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/gather/tree.hpp"

namespace thalweg::strategies::gather {

Strategy knomial() {
  return {.name = "knomial",
          .operation = Operation::gather,
          .summary = "gathers up a k-nomial tree over relative ranks; radix 2 is the binomial tree",
          .wins_when = "small blocks",
          .source = "Nishtala 2009, chapter 5 (k-nomial); Thakur, Rabenseifner, Gropp 2005, section 4",
          .parameters = tree_message_parameters(topology::TreeShape::knomial, 0),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::knomial); }};
}

} // namespace thalweg::strategies::gather

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/reduce/pipeline.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::reduce {

Strategy chain() {
  return {.name = "chain",
          .operation = Operation::reduce,
          .summary = "combines up a chain of all ranks, segments following one another",
          .wins_when = "large messages on few ranks",
          .source = "Nishtala 2009, chapter 5 (chain)",
          .parameters = pipeline_parameters(topology::TreeShape::chain, 32 << 10),
          .keeps_rank_order = true,
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::chain); }};
}

} // namespace thalweg::strategies::reduce

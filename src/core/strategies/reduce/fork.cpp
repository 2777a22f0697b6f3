// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/reduce/pipeline.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::reduce {

Strategy fork() {
  return {.name = "fork",
          .operation = Operation::reduce,
          .summary = "combines up `chains` chains that hang on the root, segments following one another",
          .wins_when = "large messages on a moderate number of ranks",
          .source = "Nishtala 2009, chapter 5 (fork)",
          .parameters = pipeline_parameters(topology::TreeShape::fork, 32 << 10),
          .keeps_rank_order = true,
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::fork); }};
}

} // namespace thalweg::strategies::reduce

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/reduce/pipeline.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::reduce {

Strategy bine() {
  return {.name = "bine",
          .operation = Operation::reduce,
          .summary = "combines up a binomial tree whose edges alternate direction and are a third shorter",
          .wins_when = "short vectors where crossing between groups of nodes is dear",
          .source = "De Sensi, Pichetti, Domke et al. 2025 (Bine trees)",
          .parameters = pipeline_parameters(topology::TreeShape::bine, 0),
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::bine); }};
}

} // namespace thalweg::strategies::reduce

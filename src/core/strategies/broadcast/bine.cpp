// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/broadcast/pipeline.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::broadcast {

Strategy bine() {
  return {.name = "bine",
          .operation = Operation::broadcast,
          .summary = "sends down a binomial tree whose edges alternate direction and are a third shorter",
          .wins_when = "short messages where crossing between groups of nodes is dear",
          .source = "De Sensi, Pichetti, Domke et al. 2025 (Bine trees)",
          .parameters = pipeline_parameters(topology::TreeShape::bine, 0),
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::bine); }};
}

} // namespace thalweg::strategies::broadcast

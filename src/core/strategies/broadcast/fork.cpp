// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/broadcast/pipeline.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::broadcast {

Strategy fork() {
  return {.name = "fork",
          .operation = Operation::broadcast,
          .summary = "sends down `chains` chains that hang on the root, segments following one another",
          .wins_when = "large messages on a moderate number of ranks",
          .source = "Nishtala 2009, chapter 5 (fork)",
          .parameters = pipeline_parameters(topology::TreeShape::fork, 32 << 10),
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::fork); }};
}

} // namespace thalweg::strategies::broadcast

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/broadcast/pipeline.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::broadcast {

Strategy flat() {
  return {.name = "flat",
          .operation = Operation::broadcast,
          .summary = "the root sends to every rank itself",
          .wins_when = "few ranks, or a root whose messages cost little",
          .source = "Nishtala 2009, chapter 5 (flat)",
          .parameters = pipeline_parameters(topology::TreeShape::flat, 0),
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::flat); }};
}

} // namespace thalweg::strategies::broadcast

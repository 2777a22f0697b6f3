// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/reduce/pipeline.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::reduce {

Strategy flat() {
  return {.name = "flat",
          .operation = Operation::reduce,
          .summary = "the root combines what every rank sends it",
          .wins_when = "few ranks, or a root whose messages cost little",
          .source = "Nishtala 2009, chapter 5 (flat)",
          .parameters = pipeline_parameters(topology::TreeShape::flat, 0),
          .keeps_rank_order = true,
          .in_place = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::flat); }};
}

} // namespace thalweg::strategies::reduce

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/broadcast/pipeline.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::broadcast {

Strategy kary() {
  return {.name = "kary",
          .operation = Operation::broadcast,
          .summary = "sends down a k-ary tree over relative ranks; every rank serves `degree` children",
          .wins_when = "middle sizes, with segments also large ones",
          .source = "Nishtala 2009, chapter 5 (k-ary); Zhang 2002 (binary tree on relative ranks)",
          .parameters = pipeline_parameters(topology::TreeShape::kary, 32 << 10),
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::kary); }};
}

} // namespace thalweg::strategies::broadcast

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/broadcast/pipeline.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::broadcast {

Strategy knomial() {
  return {.name = "knomial",
          .operation = Operation::broadcast,
          .summary = "sends down a k-nomial tree over relative ranks; radix 2 is the binomial tree",
          .wins_when = "short messages",
          .source = "Nishtala 2009, chapter 5 (k-nomial); Thakur, Rabenseifner, Gropp 2005, section 4",
          .parameters = pipeline_parameters(topology::TreeShape::knomial, 0),
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::knomial); }};
}

} // namespace thalweg::strategies::broadcast
